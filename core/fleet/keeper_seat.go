package fleet

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/gofrs/flock"

	"cupola/core"
	"cupola/core/engine"
)

// seat is where the keeper of one engine sits: its files in the runtime folder.
// The zero value is no seat at all.
type seat struct {
	folder string
	// lock is held by the keeper, socket is where it serves the others, record
	// is what it leaves behind, pulse how fast screens change, alarms is there while
	// alerts are open that one look cannot tell, ended when Cupola last killed the
	// last session, and screens those that single calls leave for each other.
	lock, socket, record, pulse, alarms, ended, screens string
	// barred says why the folder is not used; nil where it is.
	barred error
}

// maxSocketPath is the longest socket path that both systems take.
const maxSocketPath = 103

// seatOf names the files of an engine's keeper. Servers are told apart by their
// sockets.
func seatOf(runtime string, info engine.Info) seat {
	if runtime == "" {
		return seat{}
	}
	sum := sha256.Sum256([]byte(filepath.Clean(info.Socket)))
	stem := filepath.Join(runtime, "keeper-"+hex.EncodeToString(sum[:6]))
	return seat{
		folder: runtime, lock: stem + ".lock", socket: stem + ".sock", record: stem + ".json", pulse: stem + ".pulse",
		alarms: stem + ".alarms", ended: stem + ".ended", screens: stem + ".screens",
	}
}

func (s seat) none() bool { return s.folder == "" }

// prepare makes the folder, for the user alone, and sees that it can be used.
// It returns PermissionDenied or IOError.
func (s seat) prepare() error {
	if s.barred != nil {
		return s.barred
	}
	if len(s.socket) > maxSocketPath {
		return &core.Error{
			Code: core.IOError, Message: fmt.Sprintf("the runtime folder %s makes a socket path over %d bytes", s.folder, maxSocketPath),
			Hint: "Use a shorter runtime folder.",
		}
	}
	if err := os.MkdirAll(s.folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) && !errors.Is(err, syscall.ENOTDIR) {
		return unusable(err)
	}
	if err := CheckRuntime(s.folder); err != nil {
		return err
	}
	if err := close700(s.folder); err != nil {
		return unusable(err)
	}
	file, err := os.OpenFile(s.lock, os.O_CREATE|os.O_RDWR|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return unusable(err)
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
		return unusable(err)
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

// take takes the keeper's lock, or returns nil if somebody holds it. It ends
// with the process that holds it, however that ends.
func (s seat) take() (*flock.Flock, error) {
	lock := flock.New(s.lock, flock.SetFlag(os.O_CREATE|os.O_RDWR|syscall.O_NONBLOCK|syscall.O_NOFOLLOW), flock.SetPermissions(0o600))
	taken, err := lock.TryLock()
	if err != nil {
		return nil, unusable(err)
	}
	if !taken {
		return nil, nil
	}
	if !s.holds(lock) {
		return nil, unusable(lock.Unlock())
	}
	return lock, nil
}

// holds reports whether a lock that was taken is still the one that others
// find. It is not once somebody cleared the folder.
func (s seat) holds(lock *flock.Flock) bool {
	held, err := lock.Stat()
	if err != nil {
		return false
	}
	found, err := os.Stat(s.lock)
	return err == nil && os.SameFile(held, found)
}

// open reports whether members can find a socket.
func (s seat) open() bool {
	_, err := os.Stat(s.socket)
	return err == nil
}

// unusable says that the runtime folder cannot be used; nil stays nil.
func unusable(err error) error {
	if err == nil {
		return nil
	}
	return core.Errorf(core.FileCode(err), "the runtime folder cannot be used: %w", err)
}
