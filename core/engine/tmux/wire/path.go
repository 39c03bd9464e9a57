package wire

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"cupola/core/engine"
)

// SocketPath returns the path of the socket that tmux would use. It uses the first of these
// that is not empty: socket (its -S), label (its -L), the path in $TMUX, and the label
// "default". A label is a file in the folder tmux-UID below $TMUX_TMPDIR, or below /tmp
// where that is empty; resolve returns that folder absolute and without links.
//
// The folder need not exist. It returns engine.ErrDenied for one that is not a folder, belongs to
// another user or is accessible to others, which tmux refuses too. A $TMUX_TMPDIR that does
// not exist is used, as by tmux since 3.6; older versions use /tmp.
func SocketPath(socket, label string, getenv, resolve func(string) string) (string, error) {
	if socket != "" {
		return socket, nil
	}
	if label == "" {
		if found, _, _ := strings.Cut(getenv("TMUX"), ","); found != "" {
			return found, nil
		}
		label = "default"
	}
	base := cmp.Or(getenv("TMUX_TMPDIR"), "/tmp")
	dir := path.Join(resolve(base), fmt.Sprintf("tmux-%d", os.Getuid()))
	if err := checkDir(dir); err != nil {
		return "", err
	}
	return dir + "/" + label, nil
}

// checkDir returns an error if others could have put a socket into dir.
func checkDir(dir string) error {
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	if err != nil {
		return dialError(err)
	}
	owner, known := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return fmt.Errorf("%w: %s is not a folder", engine.ErrDenied, dir)
	case !known || int(owner.Uid) != os.Getuid():
		return fmt.Errorf("%w: %s belongs to another user", engine.ErrDenied, dir)
	case info.Mode().Perm()&0o007 != 0:
		return fmt.Errorf("%w: %s is open to all", engine.ErrDenied, dir)
	}
	return nil
}
