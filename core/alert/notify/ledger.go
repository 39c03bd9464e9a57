package notify

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"time"

	"cupola/core"
	"cupola/core/system/textfile"
)

// ledgerFor is how long it is kept what was sent.
const ledgerFor = 7 * 24 * time.Hour

// Ledger records the sent alerts of all processes of a user, so that nothing is sent twice: a file for each, by its id.
// An empty Dir keeps nothing.
type Ledger struct{ Dir string }

func (l Ledger) path(id string) string {
	sum := sha256.Sum256([]byte(id))
	return filepath.Join(l.Dir, hex.EncodeToString(sum[:8]))
}

// Sent reports whether the present occurrence of an alert was sent.
func (l Ledger) Sent(a *core.Alert) bool {
	if l.Dir == "" {
		return false
	}
	info, err := os.Lstat(l.path(a.ID))
	return err == nil && !a.FirstSeen.IsZero() && !a.FirstSeen.After(info.ModTime())
}

// Note records that an alert is sent now, and forgets old records. After a failure it may be sent again.
func (l Ledger) Note(a *core.Alert, now time.Time) {
	if l.Dir == "" || os.MkdirAll(l.Dir, 0o700) != nil {
		return
	}
	path := l.path(a.ID)
	if textfile.Put(path, nil) == nil {
		_ = os.Chtimes(path, now, now)
	}
	entries, _ := os.ReadDir(l.Dir)
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && now.Sub(info.ModTime()) > ledgerFor {
			_ = os.Remove(filepath.Join(l.Dir, entry.Name()))
		}
	}
}
