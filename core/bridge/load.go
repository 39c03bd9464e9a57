package bridge

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"cupola/core"
	"cupola/core/text/near"
)

//go:embed tools/*.toml
var embedded embed.FS

// Entry is the part of an action that is known without decoding its file.
type Entry struct {
	Tool, Action string
	Short, Long  string
	Effect       string
	Resource     bool
	// List is the name of the answer's list, empty if there is none; Minimal and
	// Standard are selections of its columns.
	List              string
	Minimal, Standard []string
}

// known describes a tool without its file.
type known struct {
	id       string
	programs []string
}

// Bridges are the known tools. Their methods may be called concurrently.
type Bridges struct {
	overrides fs.FS
	lookPath  func(string) (string, error)

	mu    sync.Mutex
	tools map[string]*loaded
}

type loaded struct {
	tool *Tool
	err  error
}

// Open returns the tools that come with Cupola, changed and extended by every *.toml at the
// top of overrides, which may be nil. It reads no file yet. lookPath finds programs, as
// exec.LookPath does.
func Open(overrides fs.FS, lookPath func(string) (string, error)) *Bridges {
	return &Bridges{overrides: overrides, lookPath: lookPath, tools: map[string]*loaded{}}
}

// Tool returns the tool with an id. It returns ConfigInvalid, with the line, for a file
// that cannot be parsed, and NotFound for an unknown id.
func (b *Bridges) Tool(id string) (*Tool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	known, ok := b.tools[id]
	if !ok {
		known = &loaded{}
		known.tool, known.err = b.load(id)
		b.tools[id] = known
	}
	return known.tool, known.err
}

// IDs returns the ids of all tools: those that come with Cupola in their order,
// then the user's own.
func (b *Bridges) IDs() []string {
	ids := core.Map(shipped, func(tool known) string { return tool.id })
	for _, id := range b.Changed() {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Changed returns the ids of the user's files.
func (b *Bridges) Changed() []string {
	if b.overrides == nil {
		return nil
	}
	names, err := fs.Glob(b.overrides, "*.toml")
	if err != nil {
		return nil
	}
	for i, name := range names {
		names[i] = strings.TrimSuffix(name, ".toml")
	}
	return names
}

// Installed returns the path of a tool's program, as Locate does. Where the user
// did not change the tool, its file is not read.
func (b *Bridges) Installed(id string) (path string, ok bool) {
	at := slices.IndexFunc(shipped, func(tool known) bool { return tool.id == id })
	if at >= 0 && !slices.Contains(b.Changed(), id) {
		return b.Locate(&Tool{Programs: shipped[at].programs})
	}
	tool, err := b.Tool(id)
	if err != nil {
		return "", false
	}
	return b.Locate(tool)
}

// Problems says which of the user's files cannot be used, and which keys of others do not exist.
func (b *Bridges) Problems() (problems []error) {
	for _, id := range b.Changed() {
		tool, err := b.Tool(id)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		problems = append(problems, tool.unknown...)
	}
	return problems
}

// Added returns the actions of the user's files that Cupola does not come with.
func (b *Bridges) Added() (added []Entry) {
	for _, id := range b.Changed() {
		tool, err := b.Tool(id)
		if err != nil {
			continue
		}
		for _, name := range tool.ActionNames() {
			known := slices.ContainsFunc(index, func(e Entry) bool { return e.Tool == id && e.Action == name })
			if !known {
				added = append(added, EntryOf(tool.Actions[name]))
			}
		}
	}
	return added
}

// Index returns the actions of the tools that come with Cupola, in the order in
// which help shows them. The caller must not change the slice.
func Index() []Entry { return index }

// EntryOf returns the Entry of an action.
func EntryOf(a *Action) Entry {
	e := Entry{Tool: a.Tool.ID, Action: a.Name, Short: a.Short, Long: a.Long, Effect: a.Effect, Resource: a.Resource}
	if a.List != nil {
		e.List, e.Minimal, e.Standard = a.List.Name, a.List.Minimal, a.List.Standard
	}
	return e
}

// builtin holds a *Tool for the id of each tool that comes with Cupola and was asked for: they are the same in the
// whole process.
var builtin sync.Map

// load reads a tool's file, and the user's over it.
func (b *Bridges) load(id string) (*Tool, error) {
	changed := slices.Contains(b.Changed(), id)
	made, _ := builtin.Load(id)
	if tool, known := made.(*Tool); known && !changed {
		return tool, nil
	}
	tool := &Tool{ID: id, Name: id, Programs: []string{id}, Version: []string{"--version"}}
	found := false
	for _, dir := range []struct {
		files fs.FS
		name  string
	}{
		{embedded, path.Join("tools", id+".toml")},
		{b.overrides, id + ".toml"},
	} {
		if dir.files == nil {
			continue
		}
		text, err := fs.ReadFile(dir.files, dir.name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = tool.decode(id+".toml", string(text))
		}
		if err != nil {
			return nil, core.Errorf(core.ConfigInvalid, "bridge %w", err)
		}
		found = true
	}
	if !found {
		e := &core.Error{
			Code: core.NotFound, Message: fmt.Sprintf("no tool is named %q", id),
			Suggestions: near.Words(id, b.IDs()), Slip: core.Slip{Word: id},
		}
		return nil, e
	}
	if !changed {
		builtin.Store(id, tool)
	}
	return tool, nil
}
