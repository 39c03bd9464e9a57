package tmux

import (
	"os"
	"os/user"
	"path/filepath"
	"strconv"

	"cupola/core/engine"
	"cupola/core/system/private/socket"
	"cupola/core/system/process"
)

// seeker finds servers of the same name at other sockets. Its zero value, for a server that is named by its socket, by
// a label or by $TMUX, finds none.
type seeker struct {
	// at is the path of the server's own socket.
	at string
	// note is the file that names the socket of the server on which a session was made last; empty for none.
	note socket.Note
	// everywhere is true without $TMUX_TMPDIR: then it may have been set where the server was started.
	everywhere bool
	// login is the user that logged in and became this one; -1 if that is this one, or not known.
	login int
}

func newSeeker(path string, opts *Options, getenv func(string) string) *seeker {
	if opts.Socket != "" || opts.Label != "" || getenv("TMUX") != "" {
		return &seeker{at: path, login: -1}
	}
	login := process.Login()
	if uid, err := strconv.Atoi(getenv("SUDO_UID")); err == nil {
		login = uid
	}
	if login == os.Getuid() {
		login = -1
	}
	return &seeker{at: path, note: socket.Note(opts.Note), everywhere: getenv("TMUX_TMPDIR") == "", login: login}
}

// mostOthers is how many servers are named at most.
const mostOthers = 3

// OtherServers returns living servers of the same name at other sockets: the one on which a session was made last;
// without $TMUX_TMPDIR all servers of this user; and the servers of the user that became this one.
func (s *Server) OtherServers() []engine.OtherServer {
	if s.seeks == nil {
		return nil // it is on another machine
	}
	return s.seeks.find()
}

// find finds a server on this machine.
func (s *seeker) find() []engine.OtherServer {
	if !socket.Deserted(s.at) {
		return nil
	}
	var found []engine.OtherServer
	noted, is := s.noted()
	if is {
		found = append(found, noted)
	}
	if !s.everywhere && s.login < 0 {
		return found
	}
	for _, path := range process.Listening() {
		if len(found) == mostOthers {
			break
		}
		folder := filepath.Base(filepath.Dir(path))
		if filepath.Base(path) != filepath.Base(s.at) || path == s.at || path == noted.Socket {
			continue
		}
		switch {
		case s.everywhere && folder == folderOf(os.Getuid()) && socket.Listens(path):
			found = append(found, otherServer(path))
		case s.login >= 0 && folder == folderOf(s.login):
			found = append(found, engine.OtherServer{Socket: path, User: nameOf(s.login)})
		}
	}
	return found
}

// folderOf is the name of the folder in which tmux has the sockets of a user.
func folderOf(uid int) string { return "tmux-" + strconv.Itoa(uid) }

func nameOf(uid int) string {
	id := strconv.Itoa(uid)
	if who, err := user.LookupId(id); err == nil {
		return who.Username
	}
	return id
}

// otherServer describes this user's server at a socket in a folder of tmux's.
func otherServer(path string) engine.OtherServer {
	return engine.OtherServer{Socket: path, Env: "TMUX_TMPDIR=" + filepath.Dir(filepath.Dir(path))}
}

// noted returns the server on which a session was made last, if it lives at another socket.
func (s *seeker) noted() (engine.OtherServer, bool) {
	path := s.note.Read()
	if path == "" || path == s.at || filepath.Base(path) != filepath.Base(s.at) ||
		filepath.Base(filepath.Dir(path)) != folderOf(os.Getuid()) || !socket.Listens(path) {
		return engine.OtherServer{}, false
	}
	return otherServer(path), true
}

// mayStart returns an error where a server would be started beside one that lives: its socket was deleted, or the last
// session was made on a server at another socket.
func mayStart(s *Server) error {
	if err := hidden(s); err != nil {
		return err
	}
	if s.seeks == nil {
		return nil
	}
	if noted, is := s.seeks.noted(); is && socket.Deserted(s.path) {
		return &engine.OtherServerError{OtherServer: noted, Missing: s.path}
	}
	return nil
}
