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

// changes returns the screen of the changes if it is the one on top.
func (m *model) changes() (shown *changed.Screen, open bool) {
	shown, open = m.stack[len(m.stack)-1].(*changed.Screen)
	return shown, open
}

// readChanges asks for the changes while their screen is open, and for the patch of the selected file.
func (m *model) readChanges() tea.Cmd {
	r := &m.changing
	shown, open := m.changes()
	if !open || m.world.Snapshot == nil {
		*r = changeReading{n: r.n, asked: r.asked}
		return nil
	}
	var cmds []tea.Cmd
	if !r.asked {
		r.n, r.asked = r.n+1, true
		cmds = append(cmds, m.act.Do(intent.ReadChanges{Snapshot: m.world.Snapshot, N: r.n, Again: r.read}))
	}
	if tree, path := shown.Chosen(&m.world); tree != nil && (r.patch.Tree != tree || r.patch.Path != path) {
		r.patch = intent.ReadPatch{Tree: tree, Path: path, N: r.patch.N + 1}
		cmds = append(cmds, m.act.Do(r.patch))
	}
	return tea.Batch(cmds...)
}

// takeChanges stores what changed.
func (m *model) takeChanges(msg effect.ChangesRead) {
	m.changing.asked, m.changing.read = false, true
	m.world.Changes = screen.Changes{Read: true, Trees: msg.Trees}
	if msg.Err != nil {
		m.world.Changes.Wrong = m.advise(msg.Err).Error()
	}
}

// takePatch stores a patch, unless another one is asked for by now.
func (m *model) takePatch(msg effect.PatchRead) {
	if msg.Intent != m.changing.patch {
		return
	}
	m.world.Patch = screen.Patch{Root: msg.Intent.Tree.Root, Path: msg.Intent.Path, Text: msg.Patch, Cut: msg.Cut}
	if msg.Err != nil {
		m.world.Patch.Wrong = m.advise(msg.Err).Error()
	}
}

// askChange opens a form about what changed.
func (m *model) askChange(wanted intent.Intent) {
	switch w := wanted.(type) {
	case intent.AskCommit:
		m.form = m.refusals.open(form.Commit(w))
	case intent.AskDiscard:
		m.form = form.Discard(w)
	case intent.AskMergeTree:
		m.form = form.MergeTree(w)
	}
}
