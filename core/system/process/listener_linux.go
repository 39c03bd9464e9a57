package process

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Listening returns the paths of the local sockets on which processes listen, as they were bound: of all users, and
// also in other file systems.
func Listening() []string {
	text, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		return nil
	}
	var paths []string
	for line := range bytes.Lines(text) {
		if _, bound, is := listening(string(line)); is {
			paths = append(paths, bound)
		}
	}
	return paths
}

// Login returns the user that logged in, and may have become another one since; -1 if that is not known.
func Login() int {
	text, err := os.ReadFile("/proc/self/loginuid")
	if err != nil {
		return -1
	}
	const none = 1<<32 - 1
	uid, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || uid == none {
		return -1
	}
	return int(uid)
}

// Listener returns the process of this user's that listens on a local socket which was bound to a path, also where the
// file is deleted or another has taken its place; false if none is found. It skips processes that see other file
// systems, for which the path is another one.
func Listener(path string) (Proc, bool) {
	text, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		return Proc{}, false
	}
	sockets := map[string]bool{}
	for line := range bytes.Lines(text) {
		if inode, bound, is := listening(string(line)); is && samePath(bound, path) {
			sockets["socket:["+inode+"]"] = true
		}
	}
	if len(sockets) == 0 {
		return Proc{}, false
	}
	entries, err := names("/proc")
	if err != nil {
		return Proc{}, false
	}
	for _, name := range entries {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if uid, known := Owner(pid); !known || uid != os.Geteuid() || !holds(pid, sockets) {
			continue
		}
		if same, known := SeesSameFiles(pid); known && !same {
			continue
		}
		if p, err := Find(pid); err == nil && !p.Zombie {
			return p, true
		}
	}
	return Proc{}, false
}

// listening reads a line of /proc/net/unix: the inode and the path of a socket on which a process listens.
func listening(line string) (inode, path string, is bool) {
	const accepts = 0x10000
	fields := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 5)
	if len(fields) < 5 { // number, references, protocol, flags, and the rest
		return "", "", false
	}
	flags, err := strconv.ParseUint(fields[3], 16, 64)
	if err != nil || flags&accepts == 0 {
		return "", "", false
	}
	// The type, the state, the inode in blanks, and a path that may hold some.
	_, rest, _ := strings.Cut(fields[4], " ")
	_, rest, _ = strings.Cut(rest, " ")
	inode, path, is = strings.Cut(strings.TrimLeft(rest, " "), " ")
	return inode, path, is
}

// samePath reports whether two paths of files that need not exist are one.
func samePath(one, other string) bool {
	if one == other {
		return true
	}
	if filepath.Base(one) != filepath.Base(other) || !filepath.IsAbs(one) {
		return false
	}
	a, err := filepath.EvalSymlinks(filepath.Dir(one))
	if err != nil {
		return false
	}
	b, err := filepath.EvalSymlinks(filepath.Dir(other))
	return err == nil && a == b
}

// holds reports whether a process has one of some sockets open.
func holds(pid int, sockets map[string]bool) bool {
	dir := "/proc/" + strconv.Itoa(pid) + "/fd/"
	entries, err := names(dir)
	if err != nil {
		return false
	}
	for _, name := range entries {
		if file, err := os.Readlink(dir + name); err == nil && sockets[file] {
			return true
		}
	}
	return false
}
