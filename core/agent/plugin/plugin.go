// Package plugin installs what belongs to Cupola into agents: hooks in their settings, and
// texts that they read (skills and slash commands). It reports whether these are installed,
// and removes them.
//
// Settings belong to the user: an installation is merged into them and changes no other
// byte, and a removal leaves no trace. A file that cannot be parsed is refused and not
// changed. Texts are files of Cupola's own. Each has a mark with its version and a
// checksum: a file without a mark, or with another checksum, belongs to the user and is
// neither replaced nor removed.
//
// What is installed where is data of each agent kind; this package knows only the two forms
// that settings have, and the forms of texts. The caller provides the texts.
package plugin

import (
	"path/filepath"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/system/shell"
	"cupola/core/system/textfile"
)

// Plugin is the set of Cupola's files and entries for one agent kind.
type Plugin struct {
	Kind core.Kind
	// Short is the kind's short name.
	Short string
	// Name is the agent's own name, for people.
	Name string
	// File is the settings file, which need not exist; empty where the kind takes no hooks.
	File string
	// Command is the command that the agent runs at its events; empty where the kind takes no hooks.
	Command string
	// Note warns the user of side effects of changed hooks; it may be empty.
	Note string

	self string
	spec agent.Install

	skills skillFiles
	server serverEntry
}

// Of returns the plugin of a kind; ok is false if nothing can be installed. self is the path of the program that the
// agent runs, and texts are its skills and commands. getenv is the environment in which the files are located, as the
// agent does.
func Of(kind *agent.Kind, self string, texts *Texts, getenv func(string) string) (p *Plugin, ok bool) {
	// No file may depend on where the program was started.
	home := filepath.Join(string(filepath.Separator), getenv("HOME"))
	folder := func(variable, dir string) string {
		if own := getenv(variable); variable != "" && filepath.IsAbs(own) {
			return own
		}
		return filepath.Join(home, dir)
	}
	p = &Plugin{Kind: kind.ID, Short: kind.Short, Name: kind.Name}
	if spec := kind.Skills; spec.Given() {
		p.skills = skillFiles{spec: spec, texts: texts, folder: folder(spec.Home, spec.Dir), roots: []string{home}}
		if p.skills.folder != filepath.Join(home, spec.Dir) {
			p.skills.roots = append(p.skills.roots, p.skills.folder)
		}
	}
	if spec := kind.MCP; spec.Given() {
		p.server = serverEntry{spec: spec, file: filepath.Join(folder(spec.Home, spec.Dir), spec.File)}
		p.server.server = agent.MCPServer{Self: self, Environment: map[string]string{}}
		for _, name := range agent.FleetVariables {
			if value := getenv(name); value != "" {
				p.server.server.Environment[name] = value
			}
		}
		p.server.entry = spec.Server(p.server.server)
	}
	if spec, hooks := kind.Install(); hooks {
		p.self, p.spec, p.Note = self, spec, spec.Note
		p.File, p.Command = filepath.Join(folder(spec.Home, spec.Dir), spec.File), shell.Quote(self)+tail(kind.ID)
	}
	return p, len(p.Parts()) > 0
}

// StartServer has a plugin's MCP server started with further arguments when it is installed.
func StartServer(p *Plugin, arguments ...string) {
	p.server.server.Arguments = arguments
	p.server.entry = p.server.spec.Server(p.server.server)
}

// All returns the plugins of all kinds that can have one, in the order of kinds.
func All(kinds *agent.Kinds, self string, texts *Texts, getenv func(string) string) []*Plugin {
	var all []*Plugin
	for _, kind := range kinds.All() {
		if p, ok := Of(kind, self, texts, getenv); ok {
			all = append(all, p)
		}
	}
	return all
}

// tail is how every command of ours ends; it is how they are recognised, whatever
// the path of the program.
func tail(kind core.Kind) string { return " hook " + string(kind) + " " + Mark }

// Mark is the flag that marks commands which were installed. It has no effect.
const Mark = "--installed"

// State is whether a plugin is installed.
type State string

// The states. A plugin has Drifted if it is installed in part, or differently from how it
// would be installed now.
const (
	Absent    State = "absent"
	Installed State = "installed"
	Drifted   State = "drifted"
)

// Status is the state of a part.
type Status struct {
	State State
	// Problems say what differs from a new installation, or prevents the plugin from
	// working. A drifted plugin has some; an installed one may have some.
	Problems []string
}

// Status reads the hooks in the settings. It returns DecodeFailed, with the line, for a file that
// cannot be parsed, and PermissionDenied or IOError for one that cannot be read.
func (p *Plugin) Status() (Status, error) {
	text, err := textfile.Read(p.File)
	if err != nil {
		return Status{}, err
	}
	if text == nil {
		return Status{State: Absent}, nil
	}
	if p.spec.Form.Scripted() {
		return p.scriptStatus(string(text))
	}
	return p.commandsStatus(string(text))
}

// Install plans the installation of the hooks in the settings. It replaces hooks that drifted. It returns the errors of
// Status, and Conflict for a foreign file at the path of the plugin's.
func (p *Plugin) Install() (*textfile.Change, error) {
	change, status, err := p.plan()
	if err != nil || status.State == Installed {
		return change, err
	}
	if p.spec.Form.Scripted() {
		folders := p.folders()
		if change.Before != nil {
			folders = foldersOf(string(change.Before))
		}
		change.After = []byte(p.script(folders))
		return change, nil
	}
	text, left, err := p.without(string(change.Before), change.Before != nil)
	if err != nil {
		return nil, p.undecoded(err)
	}
	if !left {
		folders := p.folders()
		if change.Before != nil {
			folders = foldersBehind(string(change.Before))
		}
		text, err = p.fresh(folders)
	} else {
		text, err = p.with(text)
	}
	if err != nil {
		return nil, p.undecoded(err)
	}
	change.After = []byte(text)
	return change, nil
}

// Remove plans the removal of the hooks from the settings. It returns the errors of Status.
func (p *Plugin) Remove() (*textfile.Change, error) {
	change, status, err := p.plan()
	if err != nil || status.State == Absent {
		return change, err
	}
	if p.spec.Form.Scripted() {
		change.After, change.Folders = nil, foldersOf(string(change.Before))
		return change, nil
	}
	text, left, err := p.without(string(change.Before), true)
	if err != nil {
		return nil, p.undecoded(err)
	}
	if change.After = []byte(text); !left {
		change.After, change.Folders = nil, foldersBehind(string(change.Before))
	}
	return change, nil
}

// plan begins a change that changes nothing yet.
func (p *Plugin) plan() (*textfile.Change, Status, error) {
	status, err := p.Status()
	if err != nil {
		return nil, status, err
	}
	text, err := textfile.Read(p.File)
	if err != nil {
		return nil, status, err
	}
	return &textfile.Change{File: p.File, Before: text, After: text}, status, nil
}

// undecoded says that the settings are not what they should be.
func (p *Plugin) undecoded(err error) error {
	e := core.Errorf(core.DecodeFailed, "%s: %w", p.File, err)
	e.Hint = "Correct the file at the line named; it was left as it is."
	return e
}
