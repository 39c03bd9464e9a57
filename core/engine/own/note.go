package own

import (
	"fmt"
	"path/filepath"

	"cupola/core/engine"
	"cupola/core/engine/own/wire"
	"cupola/core/system/private"
	"cupola/core/system/private/socket"
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
	noted := socket.Note(note).Read()
	if path == "" || noted == "" || noted == path || lives(path) || !lives(noted) {
		return ""
	}
	return noted
}

// mayStart returns an error where the user's own server lives at another socket since the client was opened.
func mayStart(s *Server) error {
	if noted := otherServer(s.opts.Socket, s.opts.Note); noted != "" {
		return fmt.Errorf("%w: Cupola's own server runs at %s, and no second one is started; try again", engine.ErrBusy,
			noted)
	}
	return nil
}
