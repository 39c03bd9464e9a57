package notify

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"cupola/core"
	"cupola/core/system/plainfile"
	"cupola/core/system/textfile"
)

// ledgerFor is how long it is kept what was sent.
const ledgerFor = 7 * 24 * time.Hour

// Ledger records the sent alerts of all processes of a user, so that nothing is sent twice: a file for each, by its id,
// and another with the messages at services that can be withdrawn. An empty Dir keeps nothing.
type Ledger struct{ Dir string }

// messagesEnd is how the names of files with messages end.
const messagesEnd = ".messages"

// posted are the ids of the messages about one alert, by the key of their service.
type posted struct {
	Alert    core.Alert          `json:"alert"`
	Messages map[string][]string `json:"messages"`
}

// post records one more message about an alert at each of some services.
func (l Ledger) post(a *core.Alert, messages map[string]string) error {
	if l.Dir == "" || len(messages) == 0 {
		return nil
	}
	all := posted{*a, l.take(a.ID)}
	if all.Messages == nil {
		all.Messages = map[string][]string{}
	}
	for service, message := range messages {
		all.Messages[service] = append(all.Messages[service], message)
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return textfile.Put(l.path(a.ID)+messagesEnd, text)
}

// take returns the messages about an alert, to one process only, and forgets them.
func (l Ledger) take(id string) map[string][]string {
	if l.Dir == "" {
		return nil
	}
	mine := l.path(id) + "." + strconv.Itoa(os.Getpid())
	if os.Rename(l.path(id)+messagesEnd, mine) != nil {
		return nil // there are none, or another process took them
	}
	defer func() { _ = os.Remove(mine) }()
	return readPosted(mine).Messages
}

// takeLast is take without the messages that are also about another alert on record: one about several alerts is
// withdrawn with the last of them.
func (l Ledger) takeLast(id string) map[string][]string {
	messages := l.take(id)
	if len(messages) == 0 {
		return nil
	}
	for _, other := range l.posted() {
		for service, ids := range other.Messages {
			messages[service] = slices.DeleteFunc(messages[service],
				func(message string) bool { return slices.Contains(ids, message) })
		}
	}
	return messages
}

// Posted are the alerts that have messages on record.
func (l Ledger) Posted() (alerts []core.Alert) {
	for _, p := range l.posted() {
		alerts = append(alerts, p.Alert)
	}
	return alerts
}

func (l Ledger) posted() (all []posted) {
	if l.Dir == "" {
		return nil
	}
	files, _ := filepath.Glob(filepath.Join(l.Dir, "*"+messagesEnd))
	for _, file := range files {
		if p := readPosted(file); p.Alert.ID != "" {
			all = append(all, p)
		}
	}
	return all
}

// readPosted reads a file of messages; the zero value where it cannot be read.
func readPosted(path string) (p posted) {
	text, err := plainfile.Read(path, mostAnswer)
	if err != nil || json.Unmarshal(text, &p) != nil {
		return posted{}
	}
	return p
}

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
