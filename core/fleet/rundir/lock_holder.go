package rundir

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/system/plainfile"
	"cupola/core/system/process"
	"cupola/core/system/shell"
)

const (
	// paneHeldWait is the default time to wait for another process that types into a pane. A prompt takes a
	// second, with a slow agent half a minute.
	paneHeldWait = 45 * time.Second
	// launchHeldWait is the same for the launch lock: creating worktrees of a large repository takes long.
	launchHeldWait = 2 * time.Minute
	// startHeldWait is the same for the lock of a kind, which is held until an agent is ready, for each of a session.
	startHeldWait = 5 * time.Minute
)

// ErrHeld means that another process held a lock for too long.
var ErrHeld = errors.New("another process holds the lock")

// holder identifies the process that holds a lock, as written into the lock's file.
type holder struct {
	PID     int    `json:"pid"`
	Command string `json:"command"`
	Since   string `json:"since"`
	Stopped bool   `json:"stopped"`
}

// signLock writes this process into a lock's file. On failure the file names no holder.
func signLock(path string, now time.Time) {
	_ = os.WriteFile(path, fmt.Appendf(nil, "%d %d\n", os.Getpid(), now.UnixMilli()), 0o600)
}

// readLock returns the holder that signed a lock's file; false if there is none.
func readLock(path string) (holder, bool) {
	text, err := plainfile.Read(path, plainfile.Text)
	if err != nil {
		return holder{}, false
	}
	return parseLock(string(text))
}

// parseLock parses what signLock writes.
func parseLock(text string) (holder, bool) {
	first, second, _ := strings.Cut(strings.TrimSuffix(text, "\n"), " ")
	pid, err := strconv.Atoi(first)
	if err != nil || pid <= 0 {
		return holder{}, false
	}
	since, err := strconv.ParseInt(second, 10, 64)
	if err != nil {
		return holder{}, false
	}
	return holder{PID: pid, Since: time.UnixMilli(since).UTC().Format(time.RFC3339)}, true
}

// heldError reports the process that holds a lock for longer than limit, and what to do. what is the
// operation that waits.
func heldError(path, what string, limit time.Duration) error {
	err := &core.Error{Code: core.Timeout, Err: ErrHeld, Hint: "Try again in a moment."}
	by, known := readLock(path)
	if !known {
		err.Message = fmt.Sprintf("another process has been %s for %s", what, limit)
		return err
	}
	by.Command = "cupola"
	if argv := process.Argv(by.PID); len(argv) > 0 {
		argv[0] = filepath.Base(argv[0])
		by.Command = core.Excerpt(shell.Line(argv...))
	}
	if found, gone := process.Find(by.PID); gone == nil {
		by.Stopped = found.Stopped
	}
	err.Details = map[string]holder{"holder": by}
	err.Message = fmt.Sprintf("process %d (%s) has been %s since %s", by.PID, by.Command, what, by.Since)
	err.Hint = fmt.Sprintf("Wait for it, or end it with 'kill %d', then try again.", by.PID)
	if by.Stopped {
		err.Message += " and is stopped"
		err.Hint = fmt.Sprintf("Let it continue with 'kill -CONT %d', or end it with 'kill -KILL %d', then try again.",
			by.PID, by.PID)
	}
	err.Message += fmt.Sprintf("; waited %s for it", limit)
	return err
}

// patienceOf returns how long to wait for a lock: what the caller asked for, at most usual.
func patienceOf(asked, usual time.Duration) time.Duration {
	return min(cmp.Or(max(asked, 0), usual), usual)
}

// awaitLock calls take, which waits for a lock, and returns heldError if that takes longer than limit.
func awaitLock(ctx context.Context, path, what string, limit time.Duration, take func(context.Context) error) error {
	short, stop := context.WithTimeout(ctx, limit)
	defer stop()
	err := take(short)
	if err != nil && short.Err() != nil && ctx.Err() == nil {
		return heldError(path, what, limit)
	}
	return err
}
