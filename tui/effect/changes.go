package effect

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/core/git/changes"
	"cupola/tui/intent"
	changed "cupola/tui/screen/changes"
)

// changesEvery is the least time between two looks at the changes.
const changesEvery = 2 * time.Second

// trees reads working trees.
type trees struct {
	environ []string
	// editor is the user's, as an argument list; nil or empty for none.
	editor func() []string
}

// read reads what changed in the trees of a snapshot's panes. One that is asked again waits a while before it looks.
func (t *trees) read(
	ctx context.Context, base changes.Base, snapshot *core.Snapshot, again bool,
) ([]changes.Tree, error) {
	if again {
		if err := core.Sleep(ctx, changesEvery); err != nil {
			return nil, err
		}
	}
	return changes.Read(ctx, base, changes.Folders(ctx, snapshot, t.environ), t.environ)
}

func (t *trees) patch(ctx context.Context, w changed.PatchQuestion) (changed.Patch, error) {
	patch, cut, err := changes.Patch(ctx, w.Tree, w.Path, t.environ)
	return changed.Patch{Text: patch, Cut: cut}, err
}

// edit hands the terminal over to the user's editor.
func (e *Effects) edit(w intent.Edit) tea.Msg {
	var argv []string
	if e.trees.editor != nil {
		argv = e.trees.editor()
	}
	if len(argv) == 0 {
		return Done{Intent: w, Err: &core.Error{
			Code: core.ToolNotFound, Message: "no editor is known", Hint: "Set EDITOR to the command of yours.",
		}}
	}
	cmd := exec.CommandContext(e.ctx, argv[0], append(argv[1:len(argv):len(argv)], filepath.Join(w.Root, w.Path))...)
	cmd.Dir = w.Root
	if w.Root == "" {
		return Done{Intent: w, Err: core.Errorf(core.NotReady, "its folder is not known, or is on another host")}
	}
	if _, err := os.Stat(w.Root); err != nil {
		return Done{Intent: w, Err: err}
	}
	return lendTo(e.terminal, w, cmd, runError("the editor"))
}
