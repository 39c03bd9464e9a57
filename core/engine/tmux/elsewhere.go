package tmux

import (
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"

	"cupola/core/engine"
	"cupola/core/plainfile"
	"cupola/core/private/socket"
	"cupola/core/process"
	"cupola/core/textfile"
)

// seeker looks for servers of the same name elsewhere. Its zero value, for a server that is named by its socket, by a
// label or by $TMUX, looks nowhere.
type seeker struct {
	// note is the file that names the socket of the server on which a session was made last; empty for none.
	note string
	// everywhere is true without $TMUX_TMPDIR: then it may have been set where the server was started.
	everywhere bool
	// login is the user that logged in and became this one; -1 if that is this one, or not known.
	login int
}

func newSeeker(opts *Options, getenv func(string) string) seeker {
	if opts.Socket != "" || opts.Label != "" || getenv("TMUX") != "" {
		return seeker{login: -1}
	}
	login := process.Login()
	if uid, err := strconv.Atoi(getenv("SUDO_UID")); err == nil {
		login = uid
	}
	if login == os.Getuid() {
		login = -1
	}
	return seeker{note: opts.Note, everywhere: getenv("TMUX_TMPDIR") == "", login: login}
}

// mostElsewhere is how many servers are named at most.
const mostElsewhere = 3

// Elsewhere returns servers of the same name that live elsewhere: the one on which a session was made last; without
// $TMUX_TMPDIR all of this user's; and those of the user that became this one.
func (s *Server) Elsewhere() []engine.Elsewhere {
	if !socket.Deserted(s.path) {
		return nil
	}
	var found []engine.Elsewhere
	noted, is := s.noted()
	if is {
		found = append(found, noted)
	}
	if !s.seeks.everywhere && s.seeks.login < 0 {
		return found
	}
	for _, path := range process.Listening() {
		if len(found) == mostElsewhere {
			break
		}
		folder := filepath.Base(filepath.Dir(path))
		if filepath.Base(path) != filepath.Base(s.path) || path == s.path || path == noted.Socket {
			continue
		}
		switch {
		case s.seeks.everywhere && folder == folderOf(os.Getuid()) && socket.Listens(path):
			found = append(found, elsewhere(path))
		case s.seeks.login >= 0 && folder == folderOf(s.seeks.login):
			found = append(found, engine.Elsewhere{Socket: path, User: nameOf(s.seeks.login)})
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

// elsewhere is this user's server at a socket in a folder of tmux's.
func elsewhere(path string) engine.Elsewhere {
	return engine.Elsewhere{Socket: path, Env: "TMUX_TMPDIR=" + filepath.Dir(filepath.Dir(path))}
}

// noted returns the server on which a session was made last, if it lives elsewhere.
func (s *Server) noted() (engine.Elsewhere, bool) {
	if s.seeks.note == "" {
		return engine.Elsewhere{}, false
	}
	const most = 4096
	text, err := plainfile.Read(s.seeks.note, most)
	path := strings.TrimSuffix(string(text), "\n")
	if err != nil || path == s.path || filepath.Base(path) != filepath.Base(s.path) ||
		filepath.Base(filepath.Dir(path)) != folderOf(os.Getuid()) || !socket.Listens(path) {
		return engine.Elsewhere{}, false
	}
	return elsewhere(path), true
}

// mayStart returns an error where a server would be started beside one that lives: its socket was deleted, or sessions
// were made on it and this program looks elsewhere.
func (s *Server) mayStart() error {
	if err := hidden(s); err != nil {
		return err
	}
	if noted, is := s.noted(); is && socket.Deserted(s.path) {
		return &engine.ElsewhereError{Elsewhere: noted, Missing: s.path}
	}
	return nil
}

// notes says where the server is, for programs that look elsewhere.
func (s *Server) notes() {
	if s.seeks.note == "" {
		return
	}
	if text, err := os.ReadFile(s.seeks.note); err == nil && string(text) == s.path+"\n" {
		return
	}
	if err := os.MkdirAll(filepath.Dir(s.seeks.note), 0o700); err == nil {
		_ = textfile.Put(s.seeks.note, []byte(s.path+"\n")) // it is found less well without
	}
}
