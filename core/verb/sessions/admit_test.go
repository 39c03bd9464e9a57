package sessions

import (
	"path/filepath"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/config/recipe"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// TestARecordStartsOnlyWhatItsCallerMayStart has callers restore panes: the input of their call does not show these.
func TestARecordStartsOnlyWhatItsCallerMayStart(t *testing.T) {
	project := t.TempDir()
	border := func(change func(*registry.Border)) *registry.Border {
		b := &registry.Border{Level: registry.Writes, Project: project, Dir: project, Asking: "this server"}
		if change != nil {
			change(b)
		}
		return b
	}
	agent := recipe.Pane{Kind: "claude", Dir: filepath.Join(project, "web")}
	outside := recipe.Pane{Kind: "claude", Dir: filepath.Dir(project)}
	command := recipe.Pane{Command: "rm -rf .", Dir: project}
	for name, c := range map[string]struct {
		border *registry.Border
		panes  []recipe.Pane
		admits bool
	}{
		"a person":                {nil, []recipe.Pane{outside, command}, true},
		"an agent in the project": {border(nil), []recipe.Pane{agent}, true},
		"one outside of it":       {border(nil), []recipe.Pane{agent, outside}, false},
		"a command":               {border(nil), []recipe.Pane{agent, command}, false},
		"both, where commands may be": {
			border(func(b *registry.Border) { b.Commands = true }), []recipe.Pane{outside, command}, true,
		},
		"a reader": {
			border(func(b *registry.Border) { b.Level = registry.Reads }), []recipe.Pane{agent}, false,
		},
		"another session": {
			border(func(b *registry.Border) { b.Sessions = []string{"web"} }), []recipe.Pane{agent}, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			env := &verb.Env{}
			env.Border, env.Catalog = c.border, &registry.Catalog{Verbs: Verbs}
			err := Admit(env, "what ran in api", "api", c.panes, false)
			if (err == nil) != c.admits {
				t.Fatalf("it is %v", err)
			}
			if err != nil && (!core.AsError(err).HasCode(core.PermissionDenied) ||
				!strings.HasPrefix(err.Error(), "of what ran in api: ")) {
				t.Errorf("it fails with %v", err)
			}
		})
	}
}
