package story

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"cupola/core/config/tomlfile"
	"cupola/core/system/plainfile"
)

// VerifyFrom is the source of the commands that prove a story.
type VerifyFrom string

// What can name them. FromNowhere is for runs that go by ticked tasks alone.
const (
	FromFlags    VerifyFrom = "flags"
	FromSettings VerifyFrom = "settings"
	FromGuess    VerifyFrom = "guess"
	FromNowhere  VerifyFrom = "none"
)

// Guess returns commands that probably verify the project in a folder, in the order in which they are to run. Where a
// makefile has a target for it, there are no others. The list is empty where nothing is known.
func Guess(dir string) []string {
	p := project(dir)
	if commands := p.targets(); len(commands) > 0 {
		return commands
	}
	var commands []string
	if p.has("go.mod") {
		commands = append(commands, "go vet ./...", "go test ./...")
	}
	if p.has("Cargo.toml") {
		commands = append(commands, "cargo check", "cargo clippy -- -D warnings", "cargo test")
	}
	commands = append(commands, p.scripts()...)
	return append(commands, p.python()...)
}

// project is a folder.
type project string

// has reports whether there is a regular file of a name.
func (p project) has(name string) bool {
	info, err := os.Stat(filepath.Join(string(p), name))
	return err == nil && info.Mode().IsRegular()
}

// read returns what a file holds; nil where it cannot be read.
func (p project) read(name string) []byte {
	text, err := plainfile.Read(filepath.Join(string(p), name), plainfile.Text)
	if err != nil {
		return nil
	}
	return text
}

var makeRule = pattern(`(?m)^([A-Za-z0-9_./-][A-Za-z0-9_./ \t-]*?)[ \t]*::?(?:[^=:].*)?\r?$`)

// targets returns the commands for the targets of the makefile.
func (p project) targets() (commands []string) {
	for _, name := range []string{"GNUmakefile", "makefile", "Makefile"} {
		if !p.has(name) {
			continue
		}
		known := map[string]bool{}
		for _, rule := range makeRule().FindAllSubmatch(p.read(name), -1) {
			for target := range strings.FieldsSeq(string(rule[1])) {
				known[target] = true
			}
		}
		for _, target := range []string{"check", "test"} {
			if known[target] {
				commands = append(commands, "make "+target)
			}
		}
		return commands
	}
	return nil
}

// scripts returns the commands for the scripts of a package of JavaScript.
func (p project) scripts() (commands []string) {
	var file struct {
		Scripts        map[string]any `json:"scripts"`
		PackageManager string         `json:"packageManager"`
	}
	if json.Unmarshal(p.read("package.json"), &file) != nil {
		return nil
	}
	manager, _, _ := strings.Cut(file.PackageManager, "@")
	switch {
	case manager == "npm" || manager == "pnpm" || manager == "yarn" || manager == "bun":
	case p.has("pnpm-lock.yaml"):
		manager = "pnpm"
	case p.has("yarn.lock"):
		manager = "yarn"
	case p.has("bun.lock"), p.has("bun.lockb"):
		manager = "bun"
	default:
		manager = "npm"
	}
	for _, script := range []string{"lint", "typecheck", "test"} {
		said, _ := file.Scripts[script].(string)
		if strings.TrimSpace(said) != "" && !strings.Contains(said, "no test specified") {
			commands = append(commands, manager+" run "+script)
		}
	}
	return commands
}

// python returns the commands for a project of Python.
func (p project) python() (commands []string) {
	if !p.has("pyproject.toml") && !p.has("setup.py") {
		return nil
	}
	var file struct {
		Tool map[string]any `toml:"tool"`
	}
	// What cannot be read configures nothing.
	_, _ = tomlfile.Parse(string(p.read("pyproject.toml")), &file)
	if file.Tool["ruff"] != nil || p.has("ruff.toml") || p.has(".ruff.toml") {
		commands = append(commands, "python -m ruff check .")
	}
	if file.Tool["mypy"] != nil || p.has("mypy.ini") || p.has(".mypy.ini") {
		commands = append(commands, "python -m mypy .")
	}
	return append(commands, "python -m pytest")
}
