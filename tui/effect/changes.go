package effect

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/core/git"
	"cupola/core/git/changes"
	"cupola/core/record/undo"
	"cupola/tui/intent"
	"cupola/tui/screen"
	changed "cupola/tui/screen/changes"
)

// changesEvery is the least time between two looks at the changes.
const changesEvery = 2 * time.Second

// trees acts on working trees.
type trees struct {
	environ []string
	// editor is the user's, as an argument list; nil or empty for none.
	editor func() []string
	// record puts an act on record, so that it can be taken back; nil for no record.
	record func(context.Context, undo.Act) *undo.Act
}

// read reads what changed in the trees of a snapshot's panes. One that is asked again waits a while before it looks.
func (t *trees) read(ctx context.Context, snapshot *core.Snapshot, again bool) ([]changes.Tree, error) {
	if again {
		if err := core.Sleep(ctx, changesEvery); err != nil {
			return nil, err
		}
	}
	var dirs []string
	for _, pane := range snapshot.Panes() {
		dirs = append(dirs, pane.Process.Dir)
	}
	for i := range snapshot.Sessions {
		dirs = append(dirs, snapshot.Sessions[i].Dir)
	}
	dirs = append(dirs, changes.Worktrees(ctx, dirs, t.environ)...)
	return changes.Read(ctx, dirs, t.environ)
}

func (t *trees) patch(ctx context.Context, w changed.PatchQuestion) (changed.Patch, error) {
	patch, cut, err := changes.Patch(ctx, w.Tree, w.Path, t.environ)
	return changed.Patch{Text: patch, Cut: cut}, err
}

func (t *trees) stage(ctx context.Context, w intent.Stage) Done {
	if w.Undo {
		back, err := changes.Unstage(ctx, w.Root, &git.Change{Path: w.Path, From: w.From}, t.environ)
		return t.acted(ctx, "unstaged "+w.Path, "stages it again", false, back, err)
	}
	what := w.Path
	if what == "" {
		what = "all of " + filepath.Base(w.Root)
	}
	back, err := changes.Stage(ctx, w.Root, w.Path, t.environ)
	return t.acted(ctx, "staged "+what, "stages what was staged before", false, back, err)
}

func (t *trees) discard(ctx context.Context, w intent.Discard) Done {
	back, err := changes.Discard(ctx, w.Root, &git.Change{Path: w.Path, From: w.From, Kind: w.Kind}, t.environ)
	return t.acted(ctx, "discarded "+w.Path, "brings the change back", false, back, err)
}

// lines counts lines of a file.
func lines(n int, path string) string { return screen.Count(n, "line") + " of " + path }

func (t *trees) stageLines(ctx context.Context, w intent.StageLines) Done {
	staged, back, err := changes.StageLines(ctx, w.Root, w.Path, w.Lines, t.environ)
	if staged {
		return t.acted(ctx, "staged "+lines(len(w.Lines), w.Path), "stages what was staged before", false, back, err)
	}
	return t.acted(ctx, "unstaged "+lines(len(w.Lines), w.Path), "stages them again", false, back, err)
}

func (t *trees) discardLines(ctx context.Context, w intent.DiscardLines) Done {
	back, err := changes.DiscardLines(ctx, w.Root, w.Path, w.Lines, t.environ)
	return t.acted(ctx, "discarded "+lines(len(w.Lines), w.Path), "brings the lines back", false, back, err)
}

func (t *trees) commit(ctx context.Context, w intent.Commit) Done {
	hash, back, err := changes.Commit(ctx, w.Root, w.Message, t.environ)
	return t.acted(ctx, "committed "+hash+" in "+filepath.Base(w.Root),
		"takes the commit away; its changes stay, staged as before", true, back, err)
}

// acted is the end of an act on a tree, which is put on record; asks says that it is taken back after a question.
func (t *trees) acted(ctx context.Context, did, undoing string, asks bool, back *changes.Undo, err error) Done {
	done := ended(did, err)
	if back == nil || err != nil || t.record == nil {
		return done
	}
	if act := t.record(ctx, undo.Act{Did: did, Back: undoing, Asks: asks, Tree: back}); act != nil {
		done.Undo = []undo.Act{*act}
	}
	return done
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
