// Package worktrees lists the worktrees that agents were given of a repository, with what is not merged in them.
package worktrees

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/system/shell"
	"cupola/core/term/cells"
	"cupola/core/text/filter"
	"cupola/core/verb"
	"cupola/core/verb/sessions"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// The verbs about a worktree, to which its name is added.
const diff, remove = "worktree-diff", "worktree-remove"

// Entry registers it.
var Entry = screen.Entry{
	Name: "worktrees", Key: "f6", Does: "worktrees: whose, and what is not merged",
	Words: "branches git",
	Keys:  []*intent.Scope{&keys}, Open: screen.OfChoice(New),
}

var keys = intent.NewScope("Worktrees", []string{"enter", "d", "M", "E", "x", "/", "]", "esc", "?"}, []intent.Binding{
	intent.Bind(intent.GoTo{}, "go there", "go to the pane that is in it", "enter", " "),
	intent.Bind(intent.RunCommand{Line: diff}, "diff", "what was done in it", "d"),
	intent.Bind(intent.AskMergeTree{}, "merge", "merge it back, after a question", "M"),
	intent.Bind(intent.Edit{}, "edit", "open its folder in your editor", "E"),
	intent.Bind(intent.AskCommand{Line: remove}, "remove", "remove it, by a command to confirm", "x"),
	intent.Bind(intent.AskFilter{}, "filter", "show only what matches", "/"),
	intent.Bind(intent.NextSession{By: 1}, "session", "the repository of the next session", "]"),
	intent.Bind(intent.NextSession{By: -1}, "", "the repository of the previous session", "["),
}, intent.Browse, intent.General).Opening(intent.OpensAll)

// read are the worktrees of the repository in which the selected session works.
var read = &screen.Slot[sessions.WorktreeListOut]{}

// Screen is the list with what is known of the selected worktree.
type Screen struct {
	choice *screen.Choice
	list   screen.Listed[sessions.WorktreeRow]
	repo   string
	snap   *core.Snapshot
}

// New makes the screen of a choice.
func New(choice *screen.Choice) *Screen {
	return &Screen{choice: choice, list: screen.ListOf[sessions.WorktreeRow]("agent, branch, address or folder")}
}

// Scope is the table of active keys.
func (s *Screen) Scope() *intent.Scope { return &keys }

// Show limits the list to worktrees that contain a text; empty shows all.
func (s *Screen) Show(filter string) { s.list.Filter = filter }

// question asks for the worktrees of the repository of the selected session.
func (s *Screen) question(w *screen.World) (asked sessions.WorktreeListIn) {
	if session, _ := s.choice.Chosen(w.Snapshot); session != nil {
		asked.InProject = verb.InProject{Session: session.Name}
	}
	return asked
}

// Wants asks for the worktrees.
func (s *Screen) Wants(w *screen.World) []screen.Want {
	return []screen.Want{{Slot: read, Question: s.question(w), Version: w.Moment()}}
}

// Shows is the filter.
func (s *Screen) Shows() string { return s.list.Filter }

// gather lists the worktrees that the filter shows, and finds the selected one again.
func (s *Screen) gather(w *screen.World, of *sessions.WorktreeListOut) {
	s.repo, s.snap = of.Repository, w.Snapshot
	var rows []sessions.WorktreeRow
	shows := filter.Of(s.list.Filter)
	for i := range of.Worktrees {
		row := &of.Worktrees[i]
		if shows.Matches(append(slices.Clone(row.Addresses), name(row), row.Branch, row.Path), nil) {
			rows = append(rows, *row)
		}
	}
	s.list.Take(rows, func(row *sessions.WorktreeRow) string { return row.Path })
}

// name is how a worktree is called.
func name(row *sessions.WorktreeRow) string { return row.Session + "/" + row.Agent }

// Handle moves, and says which worktree is meant.
func (s *Screen) Handle(wanted intent.Intent) intent.Intent {
	rest := s.list.Handle(wanted)
	if _, moves := rest.(intent.NextSession); rest == nil || moves {
		return rest
	}
	row := s.list.Selected()
	switch {
	case row != nil:
		return s.about(rest, row)
	case rest == intent.GoTo{}:
		return intent.Refuse{Why: "there is no worktree"}
	}
	return rest
}

// Applies reports whether an intent about the selected worktree has something to do.
func (s *Screen) Applies(wanted intent.Intent) bool {
	if row := s.list.Selected(); row != nil {
		return screen.Acts(s.about(wanted, row))
	}
	return !intent.Among(wanted, intent.GoTo{}, intent.RunCommand{}, intent.AskCommand{}, intent.Edit{},
		intent.AskMergeTree{})
}

// about adds a worktree to an intent.
func (s *Screen) about(wanted intent.Intent, row *sessions.WorktreeRow) intent.Intent {
	switch w := wanted.(type) {
	case intent.GoTo:
		if len(row.Addresses) == 0 {
			return intent.Refuse{Why: "no pane is in " + name(row)}
		}
		return screen.Place(s.snap, row.Addresses[0], row.Session)
	case intent.RunCommand:
		w.Line = s.command(w.Line, row)
		return w
	case intent.AskCommand:
		w.Line = s.command(w.Line, row)
		return w
	case intent.Edit:
		return intent.Edit{Root: row.Path}
	case intent.AskMergeTree:
		if row.Ahead == 0 {
			return intent.Refuse{Why: name(row) + " has no commit that its base lacks"}
		}
		return intent.AskMergeTree{Root: row.Path, What: what(row)}
	}
	return wanted
}

// command completes a verb about a worktree; other commands stay as they are.
func (s *Screen) command(line string, row *sessions.WorktreeRow) string {
	if line == diff || line == remove {
		return shell.Line(line, name(row), "--dir", s.repo)
	}
	return line
}

// what says what a merge would bring.
func what(row *sessions.WorktreeRow) string {
	text := fmt.Sprintf("%s of %s.", screen.Count(row.Ahead, "commit"), name(row))
	if row.Behind > 0 {
		text += fmt.Sprintf(" It lacks %s of its base.", screen.Count(row.Behind, "commit"))
	}
	if row.Uncommitted > 0 {
		text += fmt.Sprintf(" Not committed: %s.", screen.Count(row.Uncommitted, "file"))
	}
	return text
}

// View draws the list, and the selected worktree beside or below it.
func (s *Screen) View(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	answer := read.In(w)
	known := answer.Read && answer.Question == s.question(w)
	if !known {
		answer = &screen.Answer[sessions.WorktreeListOut]{}
	}
	s.gather(w, &answer.Value)
	head, body := r.Top(1)
	lines := widget.Bar(w.Theme, head, s.title(w), s.counts(&answer.Value, r.W))
	if unread := screen.Unread(w, body, answer); unread != nil {
		return append(lines, unread...)
	}
	empty := ""
	switch {
	case len(answer.Value.Worktrees) == 0:
		empty = "no agent was given a worktree of it; " + w.Keys.Of(&intent.Tree).Key(intent.AskSpawn{}) +
			" on the fleet starts a session with some"
	case len(s.list.Rows) == 0:
		empty = "no worktree contains that; Esc shows all"
	}
	if empty != "" {
		return append(lines, screen.Empty(w, body, empty)...)
	}
	return append(lines, screen.Split(w, body, len(s.list.Rows)+1,
		func(r layout.Rect) []string { return s.table(w, r, zones) },
		func(r layout.Rect) []string { return s.detail(w, r, &answer.Value) })...)
}

// title names the repository.
func (s *Screen) title(w *screen.World) widget.Line {
	title := widget.Styled(theme.Header, "  Worktrees")
	if s.repo != "" {
		title = append(title, widget.Span{Token: theme.Dim, Text: " of " + cells.Clean(w.Tilde(s.repo))})
	}
	if s.list.Filter != "" {
		title = append(title, widget.Span{Token: theme.Accent, Text: "  /" + cells.Clean(s.list.Filter)})
	}
	return title
}

// counts says how many worktrees have work that is not merged.
func (s *Screen) counts(of *sessions.WorktreeListOut, width int) widget.Line {
	const roomy = 70
	open := 0
	for i := range of.Worktrees {
		if row := &of.Worktrees[i]; row.Ahead+row.Uncommitted > 0 {
			open++
		}
	}
	if len(of.Worktrees) == 0 || width < roomy {
		return nil
	}
	return widget.Styled(theme.Dim, fmt.Sprintf("%d of %d hold work that is not merged ", open, len(of.Worktrees)))
}

// The widths of columns, and from which width of the list there is room for those besides the first three.
const (
	nameWidth, numberWidth = 18, 8
	forBehind              = 48
)

// columns are the figures of a row: their titles if it is nil.
func columns(row *sessions.WorktreeRow, width int) widget.Line {
	figure := func(title string, n int, token theme.Token) widget.Span {
		switch {
		case row == nil:
			return widget.Span{Token: theme.Dim, Text: fmt.Sprintf("%*s", numberWidth, title)}
		case n == 0:
			token = theme.Dim
		}
		return widget.Span{Token: token, Text: fmt.Sprintf("%*d", numberWidth, n)}
	}
	at := row
	if at == nil {
		at = &sessions.WorktreeRow{}
	}
	line := widget.Line{figure("changed", at.Uncommitted, theme.Warn), figure("ahead", at.Ahead, theme.Accent)}
	if width >= forBehind {
		line = append(line, figure("behind", at.Behind, theme.Text))
	}
	return append(line, widget.Span{Text: " "})
}

// table draws a row a worktree.
func (s *Screen) table(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	head, body := r.Top(1)
	title := "  " + widget.Fit(w.Theme, "worktree", nameWidth) + "panes"
	lines := widget.Bar(w.Theme, head, widget.Styled(theme.Dim, title),
		columns(nil, r.W))
	var rows widget.Rows
	for i := range s.list.Rows {
		row := &s.list.Rows[i]
		token, panes := theme.Text, strings.Join(row.Addresses, " ")
		if panes == "" {
			token, panes = theme.Dim, "-"
		}
		if row.Gone {
			token, panes = theme.Danger, "folder gone"
		}
		rows.Left = append(rows.Left, widget.Line{
			{Token: theme.Strong, Text: widget.Fit(w.Theme, cells.Clean(name(row)), nameWidth)},
			{Token: token, Text: cells.Clean(panes)},
		})
		rows.Right = append(rows.Right, columns(row, r.W))
	}
	return append(lines, s.list.Draw(w, body, rows, zones)...)
}

// detail draws what is known of the selected worktree, and of the agents in it.
func (s *Screen) detail(w *screen.World, r layout.Rect, of *sessions.WorktreeListOut) []string {
	row := s.list.Selected()
	width := max(1, r.W-2)
	rows := []widget.Line{widget.Styled(theme.Header, cells.Clean(name(row)))}
	fact := func(label, text string) { rows = append(rows, screen.Fact(label, cells.Clean(text), width)...) }
	fact("branch", cmp.Or(row.Branch, "none"))
	fact("folder", w.Tilde(row.Path))
	fact("not merged", merged(row, cmp.Or(of.Base, "the base")))
	fact("uncommitted", notCommitted(row))
	for _, address := range row.Addresses {
		pane := screen.PaneAt(w.Snapshot, address)
		if pane == nil {
			continue
		}
		rows = append(rows, nil, w.Title(pane, width))
		if does := w.Does(pane, false); does != nil {
			rows = append(rows, does)
		}
	}
	return widget.Block(r, widget.List(w.Theme, r, widget.Rows{Selected: -1, Left: rows}))
}

// merged says how a worktree and its base differ.
func merged(row *sessions.WorktreeRow, base string) string {
	switch {
	case row.Gone:
		return "its folder is gone; x removes what is left"
	case row.Ahead == 0 && row.Behind == 0:
		return "nothing: it is as " + base
	case row.Ahead == 0:
		return "nothing: it lacks " + screen.Count(row.Behind, "commit") + " of " + base
	case row.Behind == 0:
		return screen.Count(row.Ahead, "commit") + " for " + base
	}
	return fmt.Sprintf("%s for %s; it lacks %d of them", screen.Count(row.Ahead, "commit"), base, row.Behind)
}

func notCommitted(row *sessions.WorktreeRow) string {
	if row.Uncommitted == 0 {
		return ""
	}
	return screen.Count(row.Uncommitted, "file")
}
