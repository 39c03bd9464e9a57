package rundir

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/system/private"
	"cupola/core/system/process"
)

// Files are the paths of one server's files in the runtime directory. The zero value has none.
type Files struct {
	Folder string
	// The keeper holds lock and serves at Socket. Record is its state for the next keeper, Activity the rates at
	// which screens change. Alarms exists while alerts are open that a single snapshot cannot detect. The time of
	// ended is the time of the last kill of the server's last session. Screens is the cache shared by single calls.
	// Looked has the time of the last look for leftovers, and the panes at that time. Running are the sessions at the
	// last look; it outlives the machine. Environs is the folder of the environments with which panes were started.
	lock, Socket, Record, Activity, Alarms, ended, Screens, Looked, Running, Environs string
	// Barred is the reason why the directory is not used; nil if it is used, or if there is none.
	Barred error
}

// Sockets is a pattern for the names of the sockets of all keepers in a runtime directory.
const Sockets = "keeper-*.sock"

// maxSocketPath is the longest socket path that both systems accept.
const maxSocketPath = 103

// FilesOf names the files of an engine's keeper. The socket identifies the server.
func FilesOf(runtime string, info engine.Info) Files {
	if runtime == "" {
		return Files{}
	}
	sum := sha256.Sum256([]byte(filepath.Clean(info.Socket)))
	stem := filepath.Join(runtime, "keeper-"+hex.EncodeToString(sum[:6]))
	return Files{
		Folder: runtime, lock: stem + ".lock", Socket: stem + ".sock", Record: stem + ".json",
		Activity: stem + ".pulse", Alarms: stem + ".alarms", ended: stem + ".ended", Screens: stem + ".screens",
		Looked: stem + ".looked", Running: stem + ".running", Environs: stem + ".environs",
	}
}

// Conversation is the path of the socket at which the program of a pane serves its conversation by protocol; empty if
// there is no runtime directory.
func (s Files) Conversation(pane core.PaneID) string {
	if s.None() {
		return ""
	}
	name := strings.TrimPrefix(string(pane), "%")
	if strings.HasPrefix(name, "o") { // of Cupola's own server, which is one for each runtime directory
		return filepath.Join(s.Folder, "own.acp"+name)
	}
	return strings.TrimSuffix(s.Socket, ".sock") + ".acp" + name
}

// None reports whether there is no runtime directory.
func (s Files) None() bool { return s.Folder == "" }

// Prepare creates the folder, with access for the user only, and checks that it is usable. It returns
// PermissionDenied or IOError.
func (s Files) Prepare() error {
	if s.Barred != nil {
		return s.Barred
	}
	if len(s.Socket) > maxSocketPath {
		return &core.Error{
			Code:    core.IOError,
			Message: fmt.Sprintf("the runtime folder %s makes a socket path over %d bytes", s.Folder, maxSocketPath),
			Hint:    "Use a shorter runtime folder.",
		}
	}
	if err := private.MakeFolder(s.Folder); err != nil {
		return folderError(err)
	}
	if err := private.CloseFolder(s.Folder); err != nil {
		return UnusableError(err)
	}
	file, err := os.OpenFile(s.lock, os.O_CREATE|os.O_RDWR|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return UnusableError(err)
	}
	return file.Close()
}

// CheckRuntime returns PermissionDenied or IOError if a path exists and is not a folder owned by this user.
// In a shared folder such as /tmp another user may have created a link or a folder there, to read its files
// or to impersonate the keeper.
func CheckRuntime(path string) error { return folderError(private.CheckFolder(path)) }

// folderError returns the error of a runtime folder that is not used; nil stays nil.
func folderError(err error) error {
	barred, is := errors.AsType[*private.FolderError](err)
	if !is {
		return UnusableError(err)
	}
	code := core.PermissionDenied
	if errors.Is(err, private.ErrNoFolder) {
		code = core.IOError
	}
	return &core.Error{
		Code: code, Message: "the runtime folder " + barred.Error(),
		Hint: "Remove it, or set XDG_RUNTIME_DIR to a folder of your own.",
	}
}

// Take acquires the keeper's lock, or returns nil if another process holds it. The lock ends with the process
// that holds it.
func (s Files) Take() (*flock.Flock, error) {
	lock := flock.New(s.lock, flock.SetFlag(os.O_CREATE|os.O_RDWR|syscall.O_NONBLOCK|syscall.O_NOFOLLOW),
		flock.SetPermissions(0o600))
	taken, err := lock.TryLock()
	if err != nil {
		return nil, UnusableError(err)
	}
	if !taken {
		return nil, nil
	}
	if !s.Holds(lock) {
		return nil, UnusableError(lock.Unlock())
	}
	return lock, nil
}

// Holds reports whether a held lock is still the file at its path. It is not after the folder was cleared.
func (s Files) Holds(lock *flock.Flock) bool {
	held, err := lock.Stat()
	if err != nil {
		return false
	}
	found, err := os.Stat(s.lock)
	return err == nil && os.SameFile(held, found)
}

// Open reports whether the socket exists.
func (s Files) Open() bool {
	_, err := os.Stat(s.Socket)
	return err == nil
}

// Alarmed reports whether a keeper recorded open alerts that a single snapshot cannot detect.
func (s Files) Alarmed() bool {
	_, err := os.Stat(s.Alarms)
	return err == nil
}

// serverExitWait is how long a server may live after its last session was killed.
const serverExitWait = 5 * time.Second

// WaitEnded reports whether the last session was ended on purpose after a time at which the server was up, or up to
// serverExitWait before. It waits up to noteWait, since the server notes its end some moments after its sessions.
func (s Files) WaitEnded(ctx context.Context, up time.Time) bool {
	return s.waitEnded(ctx, up.Add(-serverExitWait))
}

// noteWait is the longest wait for a server's note that its last session ended.
const noteWait = time.Second

func (s Files) waitEnded(ctx context.Context, up time.Time) bool {
	over := time.NewTimer(noteWait)
	defer over.Stop()
	again := time.NewTicker(noteWait / 20)
	defer again.Stop()
	for !s.endedSince(up) {
		select {
		case <-ctx.Done():
			return false
		case <-over.C:
			return s.endedSince(up)
		case <-again.C:
		}
	}
	return true
}

// endedSince reports whether it was noted after a time that the last session ended.
func (s Files) endedSince(up time.Time) bool {
	info, err := os.Stat(s.ended)
	return err == nil && info.ModTime().After(up)
}

// Kept reports whether a keeper runs. One whose record cannot be read does not count.
func (s Files) Kept() (bool, error) {
	if s.None() {
		return false, nil
	}
	record, err := ReadRecord(s.Record)
	keeper, gone := process.Find(record.PID)
	return gone == nil && !keeper.Zombie && record.Ceiling != record.Revision, err
}

// UnusableError returns the error of an unusable runtime directory; nil stays nil.
func UnusableError(err error) error {
	if err == nil {
		return nil
	}
	return core.FileError("the runtime folder cannot be used", err)
}
