// Package textfile changes a user's text file atomically: the file keeps its mode, a
// link stays a link, and a file that another process changed meanwhile is left alone.
package textfile

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"cupola/core"
	"cupola/core/system/plainfile"
	"cupola/core/system/private"
)

// Change is a planned change of a file.
type Change struct {
	// File is its path.
	File string
	// Before and After are its texts; nil where there is no file.
	Before, After []byte
	// Mode is the mode of a new file; 0 is 0600.
	Mode fs.FileMode
	// Folders is how many of the folders above the file are removed with it, if they are
	// empty.
	Folders int
}

// Changes reports whether anything would change.
func (c *Change) Changes() bool {
	return (c.Before == nil) != (c.After == nil) || string(c.Before) != string(c.After)
}

// Apply makes the change, whole or not at all. The file keeps its mode, and a link stays a
// link. It returns Conflict if the file was changed since the change was planned, and
// PermissionDenied or IOError if it cannot be written.
func (c *Change) Apply() error {
	if !c.Changes() {
		return nil
	}
	target, err := follow(c.File)
	if err != nil {
		return failed(c.File, err)
	}
	now, err := read(target)
	if err != nil {
		return failed(c.File, err)
	}
	if (now == nil) != (c.Before == nil) || string(now) != string(c.Before) {
		return core.Errorf(core.Conflict, "%s was changed meanwhile", c.File)
	}
	if c.After == nil {
		return failed(c.File, erase(target, c.Folders))
	}
	return failed(c.File, replace(target, c.After, cmp.Or(c.Mode, 0o600)))
}

// Read returns a file's text, nil if there is no file. It returns PermissionDenied or
// IOError if the file cannot be read.
func Read(path string) ([]byte, error) {
	text, err := read(path)
	return text, failed(path, err)
}

func read(path string) ([]byte, error) {
	text, err := plainfile.Read(path, plainfile.Text)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case text == nil:
		text = []byte{}
	}
	return text, nil
}

// follow returns what a link leads to, which may not exist.
func follow(path string) (string, error) {
	for range 40 {
		to, err := os.Readlink(path)
		if err != nil {
			return path, nil //nolint:nilerr // it is no link
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", errors.New("too many links")
}

// replace writes a file beside the old one and puts it in its place, with the mode of
// the old one, if any.
func replace(path string, text []byte, mode fs.FileMode) error {
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(dir, ".cupola-*")
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Chmod(mode), file.Sync(), file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}

// erase removes a file, and some of the folders above it so far as they are empty.
func erase(path string, folders int) error {
	if err := os.Remove(path); err != nil {
		return err
	}
	for range folders {
		path = filepath.Dir(path)
		if err := os.Remove(path); err != nil {
			return nil //nolint:nilerr // it holds something
		}
	}
	return nil
}

// Missing returns the number of folders above a file that do not exist.
func Missing(path string) int {
	n := 0
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); err == nil || dir == filepath.Dir(dir) {
			return n
		}
		n++
	}
}

// Mode returns the rights of a file, 0 where there is none.
func Mode(path string) fs.FileMode {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Mode().Perm()
}

// failed says that a file cannot be used; nil stays nil.
func failed(path string, err error) error {
	if err == nil {
		return nil
	}
	code := core.FileCode(err)
	if cause, is := errors.AsType[*fs.PathError](err); is {
		err = cause.Err
	}
	e := core.Errorf(code, "%s: %w", path, err)
	if folder, owned, _ := private.Closed(filepath.Dir(path)); code == core.PermissionDenied && owned {
		e.Remedies, e.Subject.Dir = []core.Remedy{core.RemedyOpenFolder}, folder
	}
	return e
}
