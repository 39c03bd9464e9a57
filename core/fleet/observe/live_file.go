package observe

import (
	"os"
	"path/filepath"
	"time"

	"cupola/core"
	"cupola/core/agent/detect"
	"cupola/core/system/plainfile"
	"cupola/core/system/process"
)

// LiveStatus is an agent's live-status file and its content. In the zero value the file was
// not searched for yet.
type LiveStatus struct {
	// Live is the content of the file; nil if there is no such file.
	Live *detect.Live

	path    string
	process process.Proc
	changed time.Time
	size    int64
}

// refresh reads the file if it is another than before, and reports whether it is. It
// looks for one that is not known yet only if asked to search.
func (l *LiveStatus) refresh(processes process.Source, pane *core.Pane, search bool) bool {
	if l.path != "" && (!search || l.process.Alive()) {
		info, err := os.Stat(l.path)
		if err == nil && info.ModTime().Equal(l.changed) && info.Size() == l.size {
			return false
		}
		if err == nil && l.open(processes, pane.Agent.Kind, l.process) {
			return true
		}
	}
	known := l.path != ""
	*l = LiveStatus{}
	return search && l.Find(processes, pane) || known
}

// Find opens the file of the program in the foreground, or of another process of the pane,
// and reports whether there is one. Another machine has none that can be read here.
func (l *LiveStatus) Find(processes process.Source, pane *core.Pane) bool {
	if !processes.Local() || detect.LiveFile(pane.Agent.Kind, 1, withHome) == "" {
		return false
	}
	front := agentProcess(processes, pane)
	if l.open(processes, pane.Agent.Kind, front) {
		return true
	}
	for _, p := range processes.Tree(pane.Process.PID) {
		if p.PID != front.PID && l.open(processes, pane.Agent.Kind, p) {
			return true
		}
	}
	return false
}

// withHome is an environment with a home, which distinguishes kinds that have a file.
func withHome(name string) string {
	if name == "HOME" {
		return "/"
	}
	return ""
}

// open reads the file of a process, if it has one.
func (l *LiveStatus) open(processes process.Source, kind core.Kind, p process.Proc) bool {
	if p.PID <= 0 {
		return false
	}
	path := l.path
	pid, root := process.Nested(p.PID)
	if path == "" {
		if path = detect.LiveFile(kind, pid, Variables(processes, p.PID)); path != "" {
			path = filepath.Join(root, path)
		}
	}
	if path == "" {
		return false
	}
	// What is written between the two is read the next time.
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	content, err := plainfile.Read(path, plainfile.Text)
	if err != nil {
		return false
	}
	*l = LiveStatus{
		Live: detect.ParseLive(content, pid, p.Start), path: path, process: p, changed: info.ModTime(),
		size: info.Size(),
	}
	return true
}

// Variables returns a function that looks up names in the environment with which a process
// was started or, if that cannot be read, in this process's own.
func Variables(processes process.Source, pid int) func(name string) string {
	environ := processes.Environ(pid)
	if environ == nil {
		return os.Getenv
	}
	return func(name string) string { return process.Variable(environ, name) }
}
