package verb

import (
	"fmt"
	"path/filepath"
	"strings"

	"cupola/core/agent/sandbox"
	"cupola/core/git/worktree"
	"cupola/core/system/disk"
	"cupola/core/system/shell"
)

// Trees says how worktrees of agents are made.
func Trees(env *Local) worktree.Options {
	return worktree.Options{
		Settings: env.Settings().Worktree, Ports: filepath.Join(env.Paths.State, "ports"), Environ: env.Environ,
	}
}

// mostLacking is how many files a warning names at most.
const mostLacking = 5

// WarnOfNetwork warns where the state directory is on a network file system: the locks of runs hold on one machine.
func WarnOfNetwork(env *Local) {
	if name := disk.Network(env.Paths.State); name != "" {
		env.Warn("runs are on record in " + env.Paths.State + ", on a network file system (" + name + "), where " +
			"another machine may not see their locks: start and resume them on one machine alone, or let " +
			"XDG_STATE_HOME name a local folder")
	}
}

// WarnOfTrees warns of what worktrees lack that were made.
func WarnOfTrees(env *Local, report worktree.Report) {
	for i := range report.Lacks {
		env.Warn(lackSaid(&report.Lacks[i], env.Settings().Worktree.Copy))
	}
}

// lackSaid says what worktrees lack, and what helps. Copied are the patterns of files that are copied.
func lackSaid(lack *worktree.Lack, copied []string) string {
	named := strings.Join(lack.Names[:min(mostLacking, len(lack.Names))], ", ")
	if more := len(lack.Names) - mostLacking; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	switch lack.What {
	case worktree.LacksLocal:
		words := append([]string{"cupola", "config-set", "worktree.copy"}, copied...)
		for _, name := range lack.Names[:min(mostLacking, len(lack.Names))] {
			words = append(words, "/"+name)
		}
		return "new worktrees lack " + named + ", which git ignores; to copy them there from now on: " +
			shell.Line(words...)
	case worktree.LacksRest:
		return fmt.Sprintf("new worktrees lack %s files that %s or worktree.copy names: too many; name large folders "+
			"in worktree.clone or worktree.link", named, worktree.IncludeFile)
	case worktree.LacksClone:
		return "new worktrees lack " + named + ": " + lack.Why + "; worktree.link shares files by hard links " +
			"instead, and worktree.setup can make them anew"
	case worktree.LacksLink:
		return "new worktrees lack " + named + ": " + lack.Why + "; worktree.setup can make them anew"
	case worktree.LacksIgnored:
		return "new worktrees lack " + named + ", which git does not ignore: agents would commit a copy; add them to " +
			".gitignore or commit them"
	case worktree.LacksSubmodule:
		return "new worktrees lack submodules that are not checked out in the repository's folder (" + named + "): " +
			lack.Why + "; check them out there with 'git submodule update --init --recursive'"
	case worktree.LacksContent:
		return Plural(len(lack.Names), "file") + " in new worktrees are pointers of git lfs (" + named +
			"): run 'git lfs pull' there"
	}
	return "new worktrees lack " + named + ": " + lack.Why
}

// SandboxesOf returns the sandboxes that programs of this machine can be held by. The file of a project adds none: the
// agent that is held could change it.
func SandboxesOf(e *Local) *sandbox.Set {
	return &sandbox.Set{
		Settings: e.Settings().Sandboxes, Self: e.Self,
		Folder: filepath.Join(e.Paths.Runtime, "sb"), // short, for it is in paths of sockets
		Hidden: []string{e.Paths.Config, e.Paths.Data, e.Paths.State, e.Paths.Runtime},
	}
}
