package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"cupola/tui/effect"
	"cupola/tui/intent"
	"cupola/tui/screen"
	changed "cupola/tui/screen/changes"
	"cupola/tui/screen/form"
)

// changeReading is what is read for the screen of the changes.
type changeReading struct {
	// n numbers the questions; asked is true until the answer to the last one comes, read once one came.
	n           int
	asked, read bool
	// patch is the question about the patch that was asked last.
	patch intent.ReadPatch
}

// changesPart asks for what changed in working trees while that is shown, and opens its forms.
type changesPart struct {
	model   *model
	reading changeReading
}

// shown returns the screen of the changes if it is the one on top.
func (p *changesPart) shown() (shown *changed.Screen, open bool) {
	shown, open = p.model.stack[len(p.model.stack)-1].(*changed.Screen)
	return shown, open
}

// read asks for the changes while their screen is open, and for the patch of the selected file.
func (p *changesPart) read() tea.Cmd {
	r := &p.reading
	shown, open := p.shown()
	if !open || p.model.world.Snapshot == nil {
		*r = changeReading{n: r.n, asked: r.asked}
		return nil
	}
	var cmds []tea.Cmd
	if !r.asked {
		r.n, r.asked = r.n+1, true
		cmds = append(cmds, p.model.act.Do(intent.ReadChanges{Snapshot: p.model.world.Snapshot, N: r.n, Again: r.read}))
	}
	if tree, path := shown.Chosen(&p.model.world); tree != nil && (r.patch.Tree != tree || r.patch.Path != path) {
		r.patch = intent.ReadPatch{Tree: tree, Path: path, N: r.patch.N + 1}
		cmds = append(cmds, p.model.act.Do(r.patch))
	}
	return tea.Batch(cmds...)
}

// take stores what changed.
func (p *changesPart) take(msg effect.ChangesRead) {
	p.reading.asked, p.reading.read = false, true
	p.model.world.Changes = screen.Changes{Read: true, Trees: msg.Trees}
	if msg.Err != nil {
		p.model.world.Changes.Wrong = p.model.advise(msg.Err).Error()
	}
}

// takePatch stores a patch, unless another one is asked for by now.
func (p *changesPart) takePatch(msg effect.PatchRead) {
	if msg.Intent != p.reading.patch {
		return
	}
	p.model.world.Patch = screen.Patch{Root: msg.Intent.Tree.Root, Path: msg.Intent.Path, Text: msg.Patch, Cut: msg.Cut}
	if msg.Err != nil {
		p.model.world.Patch.Wrong = p.model.advise(msg.Err).Error()
	}
}

// ask opens a form about what changed.
func (p *changesPart) ask(wanted intent.Intent) {
	switch w := wanted.(type) {
	case intent.AskCommit:
		p.model.form = p.model.refusals.open(form.Commit(w))
	case intent.AskDiscard:
		p.model.form = form.Discard(w)
	case intent.AskMergeTree:
		p.model.form = form.MergeTree(w)
	}
}
