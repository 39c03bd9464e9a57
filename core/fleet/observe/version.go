package observe

import (
	"encoding/json"
	"io"
	"path/filepath"
	"regexp"
	"sync"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/system/plainfile"
)

// of returns the kind in the version that runs in the pane: the version on its screen or, where that has scrolled off,
// the one that was learnt before.
func (k *tracked) of(kind *agent.Kind) *agent.Kind {
	if !kind.Versioned() {
		return kind
	}
	if k.screen != nil {
		if shown := kind.VersionOn(k.screen); shown != "" {
			k.version = shown
		}
	}
	return kind.At(k.version)
}

// findVersion finds out once which version a pane runs, if that matters.
func (a *judge) findVersion(pane *core.Pane, k *tracked, kind *agent.Kind) {
	if k.searched || !kind.Versioned() {
		return
	}
	k.searched = true
	if version := a.observer.RunningVersion(pane, kind); version != "" {
		k.version = version
	}
}

// RunningVersion returns the version of the agent in a pane, by the file of its program; empty if unknown.
func (o *Observer) RunningVersion(pane *core.Pane, kind *agent.Kind) string {
	processes := o.opts.Engine.Processes()
	for _, p := range processes.Tree(pane.Process.PID) {
		argv := processes.Argv(p.PID)
		if !isOf(o.opts.Kinds, kind, p, argv) {
			continue
		}
		for _, program := range append([]string{processes.Executable(p.PID)}, argv[:min(len(argv), 2)]...) {
			if version := VersionOf(program); version != "" {
				return version
			}
		}
	}
	return ""
}

const (
	// packageAbove is how many folders above a program its package may begin.
	packageAbove = 4
	// packageMost is how much of a package's description is read, in bytes.
	packageMost = 1 << 20
)

// versionName is a file or folder that is called by its version.
var versionName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^v?\d+\.\d+\.\d+(-[\w.]+)?$`) })

// VersionOf returns the version of an installed program without running it, from its
// package or its file name; empty if neither contains one.
func VersionOf(program string) string {
	if !filepath.IsAbs(program) {
		return ""
	}
	path, err := filepath.EvalSymlinks(program)
	if err != nil {
		return ""
	}
	if base := filepath.Base(path); versionName().MatchString(base) {
		return base
	}
	folder := path
	for range packageAbove {
		folder = filepath.Dir(folder)
		if version := packaged(filepath.Join(folder, "package.json")); version != "" {
			return version
		}
	}
	return ""
}

// packaged is the version in a description of a package.
func packaged(path string) string {
	file, err := plainfile.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	var described struct{ Version string }
	if json.NewDecoder(io.LimitReader(file, packageMost)).Decode(&described) != nil {
		return ""
	}
	return described.Version
}
