// Package filecopy copies files and folders from one open folder to another. It follows no symbolic link, writes
// nothing beyond the folder that it copies to, and replaces nothing there.
package filecopy

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Way is how the content of a file gets to its copy.
type Way int

// Copied writes the content anew where the file system cannot share it, Cloned lets both files share it until one is
// written, and Linked gives one file two names: what one side writes in it, the other side reads.
const (
	Copied Way = iota
	Cloned
	Linked
)

// ErrUnsupported means that the file system cannot clone or link these files: it lacks that, or the folders are on two
// file systems.
var ErrUnsupported = errors.New("the file system cannot share files between these folders")

// ErrOutside means that a symbolic link leads out of the folder that it is in.
var ErrOutside = errors.New("a link that leads out of the folder")

// Entry copies a file, a symbolic link or a whole folder by its slash-separated name, which is the same in both
// folders. Folders above it are made. It returns fs.ErrExist if the name exists in to, ErrOutside for a link that is
// relative and leads out of from, and ErrUnsupported if way is not possible; files of a folder may then be there
// already. What is no file, link or folder is left out, and in a folder links that lead out of it are.
func Entry(from, to *os.Root, name string, way Way) error {
	info, err := from.Lstat(name)
	if err != nil {
		return err
	}
	if _, err := to.Lstat(name); err == nil {
		return fmt.Errorf("%s: %w", name, fs.ErrExist)
	}
	if above := path.Dir(name); above != "." {
		if err := to.MkdirAll(above, 0o755); err != nil {
			return err
		}
	}
	if !info.IsDir() {
		return one(from, to, name, info, way)
	}
	return fs.WalkDir(from.FS(), name, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return to.Mkdir(name, info.Mode().Perm()|0o700)
		}
		if err := one(from, to, name, info, way); !errors.Is(err, ErrOutside) {
			return err
		}
		return nil
	})
}

// one copies what is no folder.
func one(from, to *os.Root, name string, info fs.FileInfo, way Way) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return link(from, to, name)
	case !info.Mode().IsRegular():
		return nil
	case way == Linked:
		return hardLink(from, to, name)
	}
	in, err := from.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	err = clone(in, to, name, info.Mode().Perm())
	if way == Copied && errors.Is(err, ErrUnsupported) {
		err = write(in, to, name, info.Mode().Perm())
	}
	if err != nil {
		return err
	}
	return to.Chtimes(name, info.ModTime(), info.ModTime())
}

// write copies the content of a file.
func write(in io.Reader, to *os.Root, name string, perm fs.FileMode) error {
	out, err := to.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// link makes a symbolic link with the same text. An absolute one leads where it always did.
func link(from, to *os.Root, name string) error {
	target, err := from.Readlink(name)
	if err != nil {
		return err
	}
	if !filepath.IsAbs(target) && !filepath.IsLocal(filepath.Join(filepath.Dir(name), target)) {
		return fmt.Errorf("%s: %w", name, ErrOutside)
	}
	return to.Symlink(target, name)
}

// hardLink gives a file a second name in another folder.
func hardLink(from, to *os.Root, name string) error {
	in, err := from.Open(path.Dir(name))
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := to.Open(path.Dir(name))
	if err != nil {
		return err
	}
	defer out.Close()
	base := path.Base(name)
	err = unix.Linkat(int(in.Fd()), base, int(out.Fd()), base, 0)
	if err == nil {
		return nil
	}
	return unsupported(&os.LinkError{Op: "link", Old: name, New: name, Err: err})
}

// unsupported is ErrUnsupported for an error that says that a file system cannot do something.
func unsupported(err error) error {
	for _, cause := range []error{
		syscall.EXDEV, syscall.ENOTSUP, syscall.EOPNOTSUPP, syscall.EPERM, syscall.EINVAL, syscall.ENOTTY,
		syscall.ENOSYS, syscall.EMLINK,
	} {
		if errors.Is(err, cause) {
			return fmt.Errorf("%w: %s", ErrUnsupported, strings.TrimSpace(err.Error()))
		}
	}
	return err
}
