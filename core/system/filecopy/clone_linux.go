package filecopy

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// clone makes a file that shares the content of another until one of them is written.
func clone(in *os.File, to *os.Root, name string, perm fs.FileMode) error {
	out, err := to.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	err = unsupported(unix.IoctlFileClone(int(out.Fd()), int(in.Fd())))
	err = errors.Join(err, out.Close())
	if err != nil {
		err = errors.Join(err, to.Remove(name))
	}
	return err
}
