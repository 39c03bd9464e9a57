package own

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"cupola/core/engine"
	"cupola/core/engine/own/wire"
	"cupola/core/system/plainfile"
	"cupola/core/system/private"
	"cupola/core/system/private/socket"
	"cupola/core/system/textfile"
)

// lives reports whether a server of this user's has a socket: it listens there, is being replaced, or starts.
func lives(path string) bool {
	if private.CheckFolder(filepath.Dir(path)) != nil {
		return false
	}
	_, held := wire.ReadHeld(path)
	return held || socket.Listens(path) || wire.Starts(path)
}

// Usual is the socket of the user's own server: the one of a folder for sockets or, where no server has that and a
// noted one lives, that one's.
func Usual(path, note string) string {
	if noted := otherServer(path, note); noted != "" {
		return noted
	}
	return path
}

// otherServer returns the socket of a living server that a program with another folder for sockets has noted. It is
// empty if there is none, or if a server lives at path.
func otherServer(path, note string) string {
	noted := readNote(note)
	if path == "" || noted == "" || noted == path || lives(path) || !lives(noted) {
		return ""
	}
	return noted
}

// readNote returns the socket that a note names; empty without one.
func readNote(path string) string {
	if path == "" {
		return ""
	}
	text, err := plainfile.Read(path, mostNote)
	if err != nil {
		return ""
	}
	noted := strings.TrimSuffix(string(text), "\n")
	if !filepath.IsAbs(noted) {
		return ""
	}
	return noted
}

// mostNote is how many bytes a note has at most.
const mostNote = 4096

// note says where the server is that was started, for programs with another folder for sockets. The server runs
// also without it.
func note(s *Server) {
	if s.opts.Note == "" {
		return
	}
	if err := os.MkdirAll(filepath.Dir(s.opts.Note), 0o700); err == nil {
		_ = textfile.Put(s.opts.Note, []byte(s.opts.Socket+"\n"))
	}
}

// mayStart returns an error where the user's own server lives at another socket since the client was opened.
func mayStart(s *Server) error {
	if noted := otherServer(s.opts.Socket, s.opts.Note); noted != "" {
		return fmt.Errorf("%w: Cupola's own server runs at %s, and no second one is started; try again", engine.ErrBusy,
			noted)
	}
	return nil
}
