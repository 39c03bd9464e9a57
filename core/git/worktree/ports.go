package worktree

import (
	"context"
	"encoding/json"
	"errors"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"cupola/core"
	"cupola/core/system/plainfile"
	"cupola/core/system/textfile"
)

// Every worktree of this machine has portsEach ports of its own, from firstPort to lastPort. They are below those that
// Linux and macOS give to clients.
const (
	firstPort = 20_000
	lastPort  = 29_999
	portsEach = 10
)

// portsOf is a file that records the ports of each worktree.
type portsOf string

// base returns the first port of a worktree. It stays the same while the worktree is there, and no other has it.
func (p portsOf) base(ctx context.Context, top string) (int, error) {
	if err := os.MkdirAll(filepath.Dir(string(p)), 0o700); err != nil {
		return 0, core.FileError("keep the ports of worktrees", err)
	}
	lock := flock.New(string(p) + ".lock")
	held, err := lock.TryLockContext(ctx, 20*time.Millisecond)
	if err != nil || !held {
		return 0, errors.Join(core.Errorf(core.IOError, "the ports of worktrees are locked"), err)
	}
	defer func() { _ = lock.Unlock() }()
	bases := map[string]int{}
	text, err := plainfile.Read(string(p), plainfile.Text)
	if err == nil && json.Unmarshal(text, &bases) != nil {
		bases = map[string]int{} // a damaged file counts as empty
	}
	if base, known := bases[top]; known {
		return base, nil
	}
	taken := map[int]bool{}
	for path, base := range bases {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			delete(bases, path)
			continue
		}
		taken[base] = true
	}
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(top))
	const places = (lastPort - firstPort + 1) / portsEach
	at := int(hash.Sum32() % places)
	for range places {
		base := firstPort + at*portsEach
		if !taken[base] {
			bases[top] = base
			return base, textfile.WriteJSON(string(p), bases)
		}
		at = (at + 1) % places
	}
	return 0, core.Errorf(core.Conflict, "all %d ranges of ports are taken by worktrees", places)
}
