package rundir

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/process"
)

// Files are the paths of one server's files in the runtime directory. The zero value has none.
type Files struct {
	Folder string
	// The keeper holds lock and serves at Socket. Record is what it leaves for the next one,
	// Activity how fast screens change. Alarms exists while alerts are open that a single
	// snapshot cannot know. ended is as old as the last kill of the server's last session.
	// Screens is the cache that single calls share.
	lock, Socket, Record, Activity, Alarms, ended, Screens string
	// Barred says why the directory is not used; nil where it is, or there is none.
	Barred error
}

// maxSocketPath is the longest socket path that both systems take.
const maxSocketPath = 103

// FilesOf names the files of an engine's keeper. Servers are told apart by their
// sockets.
func FilesOf(runtime string, info engine.Info) Files {
	if runtime == "" {
		return Files{}
	}
	sum := sha256.Sum256([]byte(filepath.Clean(info.Socket)))
	stem := filepath.Join(runtime, "keeper-"+hex.EncodeToString(sum[:6]))
	return Files{
		Folder: runtime, lock: stem + ".lock", Socket: stem + ".sock", Record: stem + ".json",
		Activity: stem + ".pulse", Alarms: stem + ".alarms", ended: stem + ".ended", Screens: stem + ".screens",
	}
}

// None reports whether there is no runtime directory.
func (s Files) None() bool { return s.Folder == "" }

// Prepare makes the folder, for the user alone, and sees that it can be used.
// It returns PermissionDenied or IOError.
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
	if err := os.MkdirAll(s.Folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) &&
		!errors.Is(err, syscall.ENOTDIR) {
		return UnusableError(err)
	}
	if err := CheckRuntime(s.Folder); err != nil {
		return err
	}
	if err := close700(s.Folder); err != nil {
		return UnusableError(err)
	}
	file, err := os.OpenFile(s.lock, os.O_CREATE|os.O_RDWR|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return UnusableError(err)
	}
	return file.Close()
}

// CheckRuntime returns PermissionDenied or IOError if a path is there and is no folder of this
// user's own: in a folder for all, such as /tmp, anybody may have put a link there, or
// a folder in which they read what is left and answer for the keeper.
func CheckRuntime(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return UnusableError(err)
	}
	code, what := core.PermissionDenied, ""
	owner, known := info.Sys().(*syscall.Stat_t)
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		what = "is a link"
	case !info.IsDir():
		code, what = core.IOError, "is not a folder"
	case known && int(owner.Uid) != os.Geteuid():
		what = fmt.Sprintf("belongs to user %d", owner.Uid)
	default:
		return nil
	}
	return &core.Error{
		Code: code, Message: fmt.Sprintf("the runtime folder %s %s", path, what),
		Hint: "Remove it, or set XDG_RUNTIME_DIR to a folder of your own.",
	}
}

// close700 closes a folder to others. It follows no link that has come in its place.
func close700(path string) error {
	folder, err := os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	info, err := folder.Stat()
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		err = folder.Chmod(0o700)
	}
	return errors.Join(err, folder.Close())
}

// Take takes the keeper's lock, or returns nil if somebody holds it. It ends
// with the process that holds it, however that ends.
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

// Holds reports whether a lock that was taken is still the one that others
// find. It is not once somebody cleared the folder.
func (s Files) Holds(lock *flock.Flock) bool {
	held, err := lock.Stat()
	if err != nil {
		return false
	}
	found, err := os.Stat(s.lock)
	return err == nil && os.SameFile(held, found)
}

// Open reports whether members can find a socket.
func (s Files) Open() bool {
	_, err := os.Stat(s.Socket)
	return err == nil
}

// Alarmed reports whether a keeper noted that alerts are open that a single snapshot cannot know.
func (s Files) Alarmed() bool {
	_, err := os.Stat(s.Alarms)
	return err == nil
}

// serverExitWait is how long a server may live after its last session was killed.
const serverExitWait = 5 * time.Second

// EndedAfter reports whether NoteLast was called after a time at which the server was up, or so
// shortly before that the kill was under way.
func (s Files) EndedAfter(up time.Time) bool {
	info, err := os.Stat(s.ended)
	return err == nil && info.ModTime().After(up.Add(-serverExitWait))
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

// UnusableError says that the runtime directory cannot be used; nil stays nil.
func UnusableError(err error) error {
	if err == nil {
		return nil
	}
	return core.Errorf(core.FileCode(err), "the runtime folder cannot be used: %w", err)
}
