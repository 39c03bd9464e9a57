// Package plainfile reads files that others write: agents, projects, tools, and people by
// hand. It reads only regular files, because a device or a FIFO may have no end or block,
// and only up to a limit. It never waits for a writer. Real says where a path leads.
package plainfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

var (
	// ErrNotRegular means that a path leads to a folder, a device, a FIFO or a socket.
	ErrNotRegular = errors.New("it is no regular file")
	// ErrTooLarge means that a file holds more than is read.
	ErrTooLarge = errors.New("it is too large")
)

// Limits for Read, in bytes.
const (
	// Text is for what people write by hand, such as settings and prompts.
	Text = 4 << 20
	// Record is for what programs write, such as transcripts and work items.
	Record = 256 << 20
)

// Open opens a regular file for reading; the path may be a link to it. The error is a
// *fs.PathError, with ErrNotRegular for anything else.
func Open(path string) (*os.File, error) {
	// To open a device may already do something.
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	// Something else may have come in its place.
	if info, err = file.Stat(); err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	// What one can wait for has no end, though the system calls it a regular file, as it
	// does some of its own.
	if err == nil && file.SetReadDeadline(time.Now()) == nil {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// IsFolder reports whether a path leads to a folder.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Read returns what a regular file holds. The error is a *fs.PathError, with
// ErrNotRegular, or ErrTooLarge where the file holds more than most bytes.
func Read(path string, most int64) ([]byte, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > most {
		return nil, tooLarge(path, most)
	}
	// One byte more shows that the file grew meanwhile, or did not report its size.
	text := make([]byte, 0, info.Size()+1)
	for int64(len(text)) <= most {
		n, err := file.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		if errors.Is(err, io.EOF) {
			return text, nil
		}
		if err != nil {
			return nil, err
		}
		if len(text) == cap(text) {
			text = append(text, 0)[:len(text)]
		}
	}
	return nil, tooLarge(path, most)
}

func tooLarge(path string, most int64) error {
	return &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("%w: more than %d bytes", ErrTooLarge, most)}
}

// Folder is os.DirFS for a folder of such files, whose ReadFile is Read with the limit
// Text.
func Folder(dir string) fs.FS { return folder{os.DirFS(dir), dir} }

type folder struct {
	files fs.FS
	dir   string
}

// Open opens a folder, or a regular file.
func (f folder) Open(name string) (fs.File, error) {
	info, err := fs.Stat(f.files, name)
	if err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: ErrNotRegular}
	}
	if err != nil {
		return nil, err
	}
	return f.files.Open(name)
}

// ReadFile reads a regular file.
func (f folder) ReadFile(name string) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return Read(f.dir+"/"+name, Text)
}

// mostLinks is how many links are followed from one path.
const mostLinks = 40

// Real returns a path without links. The file need not exist: a link to a missing one is followed, too.
func Real(path string) string {
	for range mostLinks {
		if plain, err := filepath.EvalSymlinks(path); err == nil {
			return plain
		}
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(Real(filepath.Dir(path)), to)
		}
		path = to
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	return filepath.Join(Real(parent), filepath.Base(path))
}
