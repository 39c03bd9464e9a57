package plugin

import (
	"slices"

	"cupola/core/system/textfile"
)

// Part is a part of the plugin that can be installed by itself.
type Part string

// Skills are all texts, commands too. MCP is the entry among the agent's MCP servers.
const (
	Hooks  Part = "hooks"
	Skills Part = "skills"
	MCP    Part = "mcp"
)

// AllParts are the parts in the order in which they are installed.
func AllParts() []Part { return []Part{Hooks, Skills, MCP} }

// Supports reports whether a part can be installed into the kind.
func (p *Plugin) Supports(part Part) bool {
	switch part {
	case Hooks:
		return p.spec.Form != ""
	case MCP:
		return p.server.spec.Given()
	}
	return p.skills.spec.Given()
}

// Parts returns the parts that can be installed into the kind.
func (p *Plugin) Parts() []Part {
	return slices.DeleteFunc(AllParts(), func(part Part) bool { return !p.Supports(part) })
}

// Path is where a part is installed: the settings file, or the folder of all texts.
func (p *Plugin) Path(part Part) string {
	switch part {
	case Hooks:
		return p.File
	case MCP:
		return p.server.file
	}
	return p.skills.root()
}

// NoteOf says what to expect after a part was installed; it may be empty.
func (p *Plugin) NoteOf(part Part) string {
	switch part {
	case Hooks:
		return p.Note
	case MCP:
		return p.server.spec.Note
	}
	return p.skills.spec.Note
}

// StatusOf returns the status of a part. Its errors are the errors of Status. Foreign files with the names of Cupola's
// texts are problems and no errors.
func (p *Plugin) StatusOf(part Part) (Status, error) {
	switch part {
	case Hooks:
		return p.Status()
	case MCP:
		return p.server.status()
	}
	return p.skills.status()
}

// InstallParts plans the installation of parts, and replaces what drifted. It returns the errors of Install, and
// Conflict for a foreign file with the name of a text. A text that its user edited is kept.
func (p *Plugin) InstallParts(parts ...Part) (*Change, error) {
	return changeOf(parts, planner{
		hooks:  p.Install,
		skills: func(c *Change) error { return p.skills.install(c, p.hookFolders()) },
		server: func(c *Change) error { return p.server.plan(c, true) },
	})
}

// planner plans the change of each part: hooks returns that of the settings, the others add theirs.
type planner struct {
	hooks          func() (*textfile.Change, error)
	skills, server func(*Change) error
}

// changeOf plans the change of parts.
func changeOf(parts []Part, plan planner) (*Change, error) {
	change := &Change{}
	for _, part := range parts {
		var err error
		switch part {
		case Skills:
			err = plan.skills(change)
		case MCP:
			err = plan.server(change)
		default:
			var settings *textfile.Change
			if settings, err = plan.hooks(); err == nil {
				change.add(Hooks, settings)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return change, nil
}

// hookFolders are the folders that were made for the settings.
func (p *Plugin) hookFolders() map[string]bool {
	dirs := map[string]bool{}
	if p.Supports(Hooks) {
		if change, err := p.Remove(); err == nil && change.After == nil {
			claim(dirs, change.File, change.Folders)
		}
	}
	return dirs
}

// folders counts the folders above the settings that go with them.
func (p *Plugin) folders() int {
	dirs := map[string]bool{}
	if p.Supports(Skills) {
		if all, err := p.skills.read(); err == nil { // else they do not keep hooks from being installed
			p.skills.claim(dirs, all)
		}
	}
	return missing(p.File, dirs)
}

// RemoveParts plans the removal of parts from the agent. It returns the errors of Status. A text that its user edited
// or added is kept.
func (p *Plugin) RemoveParts(parts ...Part) (*Change, error) {
	return changeOf(parts, planner{
		hooks: p.Remove, skills: p.skills.remove, server: func(c *Change) error { return p.server.plan(c, false) },
	})
}

// Change is a planned change of several files.
type Change struct {
	Files []FileChange
	// Kept are files that stay as they are, and why.
	Kept []Kept
}

// FileChange is a planned change of one file of a part.
type FileChange struct {
	*textfile.Change
	Part Part
}

// Kept is a file that stays though others of its part change.
type Kept struct {
	File string
	Part Part
	Why  string
}

// add adds a change of one file, if it is one.
func (c *Change) add(part Part, file *textfile.Change) {
	if file != nil && file.Changes() {
		c.Files = append(c.Files, FileChange{file, part})
	}
}

// Changes reports whether anything would change.
func (c *Change) Changes() bool { return len(c.Files) > 0 }

// Diff shows what would change in all files.
func (c *Change) Diff() string {
	diff := ""
	for _, file := range c.Files {
		diff += file.Diff()
	}
	return diff
}

// Apply makes the changes. After an error it undoes the ones that were made. It returns the errors of textfile.Change.
func (c *Change) Apply() error {
	var undo []*textfile.Change
	for _, file := range c.Files {
		back := &textfile.Change{
			File: file.File, Before: file.After, After: file.Before, Mode: textfile.Mode(file.File),
			Folders: textfile.Missing(file.File),
		}
		if err := file.Apply(); err != nil {
			for _, done := range slices.Backward(undo) {
				if failed := done.Apply(); failed != nil {
					return failed
				}
			}
			return err
		}
		undo = append(undo, back)
	}
	return nil
}
