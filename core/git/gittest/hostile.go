package gittest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Trap is a way in which a repository's settings make git run a program.
type Trap struct {
	Name string
	// lay sets the trap in the working tree at dir; program is the path of the program that the trap runs.
	lay func(t testing.TB, dir, program string)
}

// settings returns a trap of alternating keys and values. PROGRAM is replaced by the
// program.
func settings(pairs ...string) func(testing.TB, string, string) {
	return func(t testing.TB, dir, program string) {
		t.Helper()
		for i := 0; i < len(pairs); i += 2 {
			Run(t, dir, nil, "config", "--add", pairs[i], strings.ReplaceAll(pairs[i+1], "PROGRAM", program))
		}
	}
}

// attributes are a trap of settings that .gitattributes chooses.
func attributes(line string, pairs ...string) func(testing.TB, string, string) {
	return func(t testing.TB, dir, program string) {
		t.Helper()
		write(t, filepath.Join(dir, ".gitattributes"), line+"\n", 0o600)
		settings(pairs...)(t, dir, program)
	}
}

// Traps are the known traps.
var Traps = []Trap{
	{"a clean filter", attributes("* filter=x", "filter.x.clean", "PROGRAM")},
	{"a required filter", attributes("* filter=x", "filter.x.clean", "PROGRAM", "filter.x.smudge", "PROGRAM",
		"filter.x.required", "true")},
	{"a filter process", attributes("* filter=x", "filter.x.process", "PROGRAM", "filter.x.required", "true")},
	{"a filter with an odd name", attributes("* filter=a=b.c", "filter.a=b.c.clean", "PROGRAM")},
	{"a filter from another file", func(t testing.TB, dir, program string) {
		write(t, filepath.Join(dir, ".gitattributes"), "* filter=x\n", 0o600)
		write(t, filepath.Join(dir, "more"), "[filter \"x\"]\n\tclean = "+program+"\n\tprocess = "+program+"\n", 0o600)
		settings("include.path", "../more")(t, dir, program)
	}},
	{"a filter of one branch", func(t testing.TB, dir, program string) {
		write(t, filepath.Join(dir, ".gitattributes"), "* filter=x\n", 0o600)
		write(t, filepath.Join(dir, "more"), "[filter \"x\"]\n\tclean = "+program+"\n", 0o600)
		settings("includeIf.onbranch:main.path", "../more")(t, dir, program)
	}},
	{"a filter of one worktree", func(t testing.TB, dir, program string) {
		write(t, filepath.Join(dir, ".git", "config.worktree"), "[filter \"x\"]\n\tclean = "+program+"\n", 0o600)
		attributes("* filter=x", "extensions.worktreeConfig", "true", "core.repositoryFormatVersion", "1")(t, dir,
			program)
	}},
	{"a filter that other attributes choose", func(t testing.TB, dir, program string) {
		write(t, filepath.Join(dir, "others"), "* filter=x\n", 0o600)
		settings("core.attributesFile", filepath.Join(dir, "others"), "filter.x.clean", "PROGRAM")(t, dir, program)
	}},
	{"fsmonitor", settings("core.fsmonitor", "PROGRAM")},
	{"hooks", settings("core.hooksPath", "PROGRAM.d")},
	{"an external diff", settings("diff.external", "PROGRAM")},
	{"a diff driver", attributes("* diff=x", "diff.x.command", "PROGRAM")},
	{"a text conversion", attributes("* diff=x", "diff.x.textconv", "PROGRAM")},
	{"pagers", settings("core.pager", "PROGRAM", "pager.status", "PROGRAM", "pager.log", "PROGRAM", "pager.diff",
		"PROGRAM", "pager.config", "PROGRAM")},
	{"signatures", settings("gpg.program", "PROGRAM", "log.showSignature", "true")},
	{"aliases", settings("alias.status", "!PROGRAM", "alias.log", "!PROGRAM", "alias.config", "!PROGRAM",
		"alias.rev-parse", "!PROGRAM")},
	{"askers", settings("core.askPass", "PROGRAM", "credential.helper", "PROGRAM", "core.editor", "PROGRAM",
		"core.sshCommand", "PROGRAM", "core.gitProxy", "PROGRAM")},
	{"a merge driver", attributes("* merge=x", "merge.x.driver", "PROGRAM")},
	{
		"a summary of submodules",
		settings("status.submoduleSummary", "true", "diff.submodule", "log", "submodule.x.update", "!PROGRAM"),
	},
	{"objects elsewhere", func(t testing.TB, dir, program string) {
		settings("extensions.partialClone", "origin", "core.repositoryFormatVersion", "1", "remote.origin.promisor",
			"true",
			"remote.origin.url", filepath.Join(dir, ".git"), "remote.origin.uploadpack", "PROGRAM",
			"protocol.file.allow", "always")(t, dir, program)
		object := Run(t, dir, nil, "rev-parse", "HEAD:tracked")
		if err := os.Remove(filepath.Join(dir, ".git", "objects", object[:2], object[2:])); err != nil {
			t.Fatal(err)
		}
	}},
	{"objects behind a program", func(t testing.TB, dir, program string) {
		settings("extensions.partialClone", "origin", "core.repositoryFormatVersion", "1", "remote.origin.promisor",
			"true",
			"remote.origin.url", "ext::PROGRAM", "protocol.ext.allow", "always")(t, dir, program)
		object := Run(t, dir, nil, "rev-parse", "HEAD^{tree}")
		if err := os.Remove(filepath.Join(dir, ".git", "objects", object[:2], object[2:])); err != nil {
			t.Fatal(err)
		}
	}},
	{"a submodule", func(t testing.TB, dir, program string) {
		sub := filepath.Join(dir, "sub")
		Run(t, filepath.Dir(sub), nil, "init", "--quiet", "--initial-branch=main", sub)
		write(t, filepath.Join(sub, "inner"), "1\n", 0o600)
		Run(t, sub, nil, "add", ".")
		Run(t, sub, nil, "commit", "--quiet", "--message=inner")
		write(t, filepath.Join(dir, ".gitmodules"),
			"[submodule \"sub\"]\n\tpath = sub\n\turl = ./sub\n\tignore = none\n", 0o600)
		Run(t, dir, nil, "add", "sub", ".gitmodules")
		Run(t, dir, nil, "commit", "--quiet", "--message=sub")
		attributes("* filter=y", "filter.y.clean", "PROGRAM", "core.fsmonitor", "PROGRAM")(t, sub, program)
		write(t, filepath.Join(sub, "inner"), "2\n", 0o600)
	}},
}

// All combines many traps.
var All = Trap{"all at once", attributes("* filter=x diff=x merge=x",
	"filter.x.clean", "PROGRAM", "filter.x.smudge", "PROGRAM", "filter.x.process", "PROGRAM", "filter.x.required",
	"true", "core.fsmonitor", "PROGRAM", "core.hooksPath", "PROGRAM.d", "diff.external", "PROGRAM", "diff.x.command",
	"PROGRAM", "diff.x.textconv", "PROGRAM", "merge.x.driver", "PROGRAM", "core.pager", "PROGRAM", "gpg.program",
	"PROGRAM", "log.showSignature", "true", "core.sshCommand", "PROGRAM", "alias.status", "!PROGRAM",
)}

// Lay makes a repository in a folder, with a commit, a file that changed since and a new
// one, and sets the trap there. sprung reports whether the program ran.
func (trap *Trap) Lay(t testing.TB, dir string) (sprung func() bool) {
	t.Helper()
	aside := t.TempDir()
	witness, program := filepath.Join(aside, "witness"), filepath.Join(aside, "program")
	script := "#!/bin/sh\necho \"$0 $*\" >>" + witness + "\n"
	write(t, program, script, 0o700)
	for _, hook := range []string{
		"post-index-change", "post-checkout", "pre-applypatch", "post-applypatch",
		"reference-transaction", "fsmonitor-watchman",
	} {
		write(t, filepath.Join(aside, "program.d", hook), script, 0o700)
	}
	Run(t, filepath.Dir(dir), nil, "init", "--quiet", "--initial-branch=main", dir)
	write(t, filepath.Join(dir, "tracked"), "1\n", 0o600)
	write(t, filepath.Join(dir, "touched"), "1\n", 0o600)
	Run(t, dir, nil, "add", ".")
	Run(t, dir, nil, "commit", "--quiet", "--message=first")
	write(t, filepath.Join(dir, "tracked"), "2\n", 0o600)
	write(t, filepath.Join(dir, "new"), "1\n", 0o600)
	trap.lay(t, dir, program)
	if err := os.Remove(witness); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return func() bool {
		_, err := os.Stat(witness)
		return err == nil
	}
}

func write(t testing.TB, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}
