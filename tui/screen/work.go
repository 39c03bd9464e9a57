package screen

import (
	"fmt"

	"cupola/core"
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/widget"
)

// Work is what is known of the work of an agent. The zero value is nothing.
type Work struct {
	// Prompt is the last one that was sent to it.
	Prompt string
	// Root is the working tree that it is in, and Branch what is checked out there; both may be empty.
	Root, Branch string
	// Worktree is true if the tree is a worktree that was made for the agent.
	Worktree bool
	// Added and Deleted count the lines that changed in the tree since its last commit or, in a worktree of its own,
	// since that left its base.
	Added, Deleted int
	// ContextUsed is how much of its context is used, in percent; 0 if unknown.
	ContextUsed int
	// CostUSD is what it cost today; 0 if unknown.
	CostUSD float64
}

// contextLow is the part of a context from which on it is shown louder, in percent.
const contextLow = 80

// Does says what an agent does, behind its label: what it asks, else what it was asked last, else its title; nil if
// nothing is known.
func (w *World) Does(pane *core.Pane) widget.Line {
	if pane.IsUser() {
		return nil
	}
	token, text := theme.Dim, w.Work[pane.ID].Prompt
	if text == "" && pane.Title != w.Host { // terminals are titled by their machine until a program says otherwise
		text = pane.Title
	}
	if pane.Status.Asks != "" {
		token, text = theme.State(pane.Status.State), pane.Status.Asks
	}
	var line widget.Line
	if label := cells.Clean(pane.Agent.Label); label != "" {
		line = widget.Styled(theme.Accent, "#"+label+" ")
	}
	if text = cells.Clean(OneLine(text, mostDoes)); text != "" {
		line = append(line, widget.Span{Token: token, Text: text})
	}
	return line
}

// leastCost is the least cost that is shown, in dollars.
const leastCost = 0.005

// mostDoes is how much of a prompt a row can show, in bytes.
const mostDoes = 600

// Facts are what else is known of an agent's work, the most important first: what it changed, how full its
// context is, what it cost today, and its branch.
func (w *World) Facts(pane *core.Pane) []widget.Line {
	work, known := w.Work[pane.ID]
	if !known || pane.IsUser() {
		return nil
	}
	var facts []widget.Line
	if work.Added > 0 || work.Deleted > 0 {
		facts = append(facts, Counts(work.Added, work.Deleted))
	}
	if used := work.ContextUsed; used > 0 {
		token := theme.Dim
		if used >= contextLow {
			token = theme.Warn
		}
		facts = append(facts, widget.Styled(token, fmt.Sprintf("%d%% left", 100-used)))
	}
	if work.CostUSD >= leastCost {
		facts = append(facts, widget.Styled(theme.Dim, fmt.Sprintf("$%.2f", work.CostUSD)))
	}
	switch {
	case work.Worktree:
		facts = append(facts, widget.Styled(theme.Dim, "worktree"))
	case work.Branch != "":
		facts = append(facts, widget.Styled(theme.Dim, cells.Clean(work.Branch)))
	}
	return facts
}

// Counts says how many lines were added and deleted.
func Counts(added, deleted int) widget.Line {
	return widget.Line{
		{Token: theme.Good, Text: fmt.Sprintf("+%d", added)}, {Token: theme.Danger, Text: fmt.Sprintf(" -%d", deleted)},
	}
}
