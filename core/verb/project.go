package verb

import (
	"cmp"
	"context"

	"cupola/core"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
	"cupola/core/verb/registry"
)

// InProject lets a verb of work items be pointed at a project.
type InProject struct {
	Dir     registry.ReadPath `help:"Folder of the project (default: this one)"`
	Session string            `names:"session" help:"Use the project this session works in"`
}

// Folder returns the folder that a project is looked for in.
func (in InProject) Folder(ctx context.Context, env *Env) (string, error) {
	switch {
	case in.Session != "" && in.Dir != "":
		return "", registry.Conflict("--dir", "--session")
	case in.Session == "":
		return cmp.Or(string(in.Dir), env.Dir), nil
	}
	f, err := env.Fleet()
	if err != nil {
		return "", err
	}
	session, err := LiveSession(ctx, f, in.Session)
	if err != nil {
		return "", err
	}
	_, panes, err := f.Overview.Chosen(ctx, resolve.Target{Session: session, All: true},
		observe.View{Dirs: true, Brief: true})
	if err != nil {
		return "", err
	}
	return FolderOf(panes), nil
}

// FolderOf is where a session works: where its first agent is, or else its first
// pane.
func FolderOf(panes []*core.Pane) string {
	dir := ""
	for _, pane := range panes {
		if pane.IsAgent() && pane.Process.Dir != "" {
			return pane.Process.Dir
		}
		dir = cmp.Or(dir, pane.Process.Dir)
	}
	return dir
}
