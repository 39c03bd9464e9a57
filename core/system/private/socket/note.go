package socket

import (
	"os"
	"path/filepath"
	"strings"

	"cupola/core/system/plainfile"
	"cupola/core/system/textfile"
)

// Note is the path of a file that names a server's socket, for programs with another folder for sockets. An empty one
// is no file.
type Note string

// mostNote is how many bytes a note has at most.
const mostNote = 4096

// Read returns the socket that the note names, as an absolute path; empty for none.
func (n Note) Read() string {
	if n == "" {
		return ""
	}
	text, err := plainfile.Read(string(n), mostNote)
	if path := strings.TrimSuffix(string(text), "\n"); err == nil && filepath.IsAbs(path) {
		return path
	}
	return ""
}

// Write makes the note name a socket. A server runs also without a note, but is found less well.
func (n Note) Write(path string) {
	if n == "" || n.Read() == path {
		return
	}
	if err := os.MkdirAll(filepath.Dir(string(n)), 0o700); err == nil {
		_ = textfile.Put(string(n), []byte(path+"\n"))
	}
}
