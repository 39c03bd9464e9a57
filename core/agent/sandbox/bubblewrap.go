package sandbox

import (
	"path/filepath"
	"strconv"
)

// Doorway is the folder inside a sandbox with the socket over which hooks report, which is named DoorName. Where paths
// are the same inside, DoorwayVariable names another folder.
const (
	Doorway         = "/run/cupola"
	DoorName        = "hook"
	DoorwayVariable = "CUPOLA_DOORWAY"
)

// bubblewrap returns the command line of bwrap up to the program. Copied files are read from descriptors in the order
// of the view; fd is the first one.
func bubblewrap(v *View, network, doorway string, fd int) []string {
	argv := []string{
		"bwrap", "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts",
		"--unshare-cgroup-try", "--die-with-parent", "--as-pid-1", "--cap-drop", "ALL", "--ro-bind", "/", "/",
		"--dev", "/dev", "--proc", "/proc",
	}
	if network != NetworkAll {
		argv = append(argv, "--unshare-net")
	}
	for i := range v.Access {
		a := &v.Access[i]
		switch a.How {
		case Hidden:
			argv = append(argv, "--perms", "0700", "--tmpfs", a.Path)
		case Barred:
			argv = append(argv, "--ro-bind", "/dev/null", a.Path)
		case Reads:
			argv = append(argv, "--ro-bind", a.from(), a.Path)
		case Writes:
			argv = append(argv, "--bind", a.from(), a.Path)
		case Copied:
			argv = append(argv, "--perms", "0600", "--file", strconv.Itoa(fd), a.Path)
			fd++
		case Linked:
			argv = append(argv, "--symlink", a.From, a.Path)
		}
	}
	argv = append(argv, "--ro-bind", doorway, Doorway)
	if network == NetworkHosts {
		for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"} {
			argv = append(argv, "--setenv", name, "http://127.0.0.1:"+ProxyPort)
		}
		for _, name := range []string{"NO_PROXY", "no_proxy"} {
			argv = append(argv, "--setenv", name, "localhost,127.0.0.1")
		}
		argv = append(argv, "--setenv", "NODE_USE_ENV_PROXY", "1")
	}
	// What the terminal server sets names a socket that is hidden.
	return append(argv, "--unsetenv", "CUPOLA_SERVER_SOCKET", "--setenv", "TMPDIR", "/tmp", "--chdir", v.Dir, "--")
}

// copies returns the paths outside of the files that a view copies, in its order.
func (v *View) copies() []string {
	var paths []string
	for i := range v.Access {
		if v.Access[i].How == Copied {
			paths = append(paths, filepath.Clean(v.Access[i].from()))
		}
	}
	return paths
}
