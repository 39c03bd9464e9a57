// Package private checks that a folder, and the process at the other end of a socket, belong to this user. In a shared
// folder such as /tmp another user may have put a link, a folder or a socket under the name of one of the user's own:
// it is neither read nor used, and nothing is sent to a process that listens there. The package also finds the folder
// of the user's own that is closed to the user.
package private

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"cupola/core/system/process"
)

// ErrForeign means that a folder is a link or another user's, or that another user listens on a socket.
var ErrForeign = errors.New("not this user's own")

// ErrNoFolder means that there is something else in the place of a folder.
var ErrNoFolder = errors.New("not a folder")

// A FolderError is why a folder is not used. It is ErrForeign or ErrNoFolder.
type FolderError struct {
	Path string
	// What is the predicate of a sentence about the path.
	What string
	Err  error
}

// Error names the folder and what it is.
func (e *FolderError) Error() string { return e.Path + " " + e.What }

// Unwrap returns ErrForeign or ErrNoFolder.
func (e *FolderError) Unwrap() error { return e.Err }

// Closed returns the folder that keeps the user from writing a file: the one of its path, or the nearest one above that
// exists; empty if the user may write there. It is owned if it is the user's, who may then open it.
func Closed(path string) (folder string, owned bool, err error) {
	for folder = path; filepath.Dir(folder) != folder; folder = filepath.Dir(folder) {
		if info, err := os.Stat(folder); err == nil && info.IsDir() {
			break
		}
	}
	if err = unix.Access(folder, unix.W_OK|unix.X_OK); err == nil {
		return "", false, nil
	}
	info, statErr := os.Stat(folder)
	if errors.Is(err, fs.ErrPermission) && statErr == nil {
		sys, is := info.Sys().(*syscall.Stat_t)
		owned = is && int(sys.Uid) == os.Getuid()
	}
	return folder, owned, err
}

// CheckFolder returns a *FolderError if a path exists and is not a folder of this user's. It follows no link.
func CheckFolder(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	owner, known := info.Sys().(*syscall.Stat_t)
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return &FolderError{path, "is a link", ErrForeign}
	case !info.IsDir():
		return &FolderError{path, "is not a folder", ErrNoFolder}
	case !known || int(owner.Uid) != os.Geteuid():
		return &FolderError{path, fmt.Sprintf("belongs to user %d", owner.Uid), ErrForeign}
	}
	return nil
}

// MakeFolder makes a folder for this user alone if there is none, and checks it as CheckFolder does.
func MakeFolder(path string) error {
	if err := CheckFolder(path); err != nil {
		return err
	}
	if err := os.MkdirAll(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) && !errors.Is(err, syscall.ENOTDIR) {
		return err
	}
	return CheckFolder(path) // another user may have been faster
}

// CloseFolder removes the access of others to a folder. It does not follow a link that replaced it.
func CloseFolder(path string) error {
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

// CheckPeer returns ErrForeign if another user is at the other end of a connected local socket.
func CheckPeer(fd uintptr) error {
	_, uid, err := process.Peer(int(fd))
	if err == nil && uid != os.Geteuid() {
		err = fmt.Errorf("%w: user %d listens on the socket", ErrForeign, uid)
	}
	return err
}
