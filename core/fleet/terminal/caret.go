package terminal

import (
	"slices"
	"strings"

	"cupola/core/agent"
	"cupola/core/fleet/observe"
	"cupola/core/system/process"
)

// CaretPosition is the position of the cursor in a composer, and the composer's number of rows.
type CaretPosition struct{ row, column, rows int }

// CaretIn returns the position of the cursor in a composer.
func (g *Capture) CaretIn(composer agent.Composer) CaretPosition {
	at := g.Screen.View.Cursor
	return CaretPosition{at.Y - composer.Top, at.X, composer.Bottom - composer.Top}
}

// Edits reports whether a shell has the keyboard and edits a line: it is at its prompt and runs no command.
func (g *Capture) Edits() bool {
	if g.TTY == "" || !observe.AtPrompt(g.processes, g.Front) {
		return false
	}
	edits, err := process.EditsLines(g.TTY)
	return err == nil && edits
}

// BeforeCursor returns the text before the cursor in its line.
func (g *Capture) BeforeCursor() string {
	line, _ := agent.CursorLine(g.Screen)
	return line.Before
}

// Differs reports whether the screen changed since an earlier capture.
func (g *Capture) Differs(before *Capture) bool {
	return !slices.Equal(g.Screen.Lines, before.Screen.Lines) || g.Screen.View.Cursor != before.Screen.View.Cursor
}

const (
	// PartMin is how many characters of a prompt must be visible in a composer too small to show all of it.
	PartMin = 12
)

// EndsWith reports whether the text before the cursor ends with a text, or with its last line, as input at a
// prompt does.
func (g *Capture) EndsWith(text string) bool {
	line, found := agent.CursorLine(g.Screen)
	if !found {
		return false
	}
	rows := strings.Split(text, "\n")
	lastRow := rows[len(rows)-1]
	if len(rows) > 1 {
		if want := agent.Squeeze(text); len(want) >= PartMin && strings.HasSuffix(g.upToCursor(), want) {
			return true
		}
	}
	before := strings.TrimRight(line.Before, " ")
	head, typed := strings.CutSuffix(before, strings.TrimRight(lastRow, " "))
	if !typed || strings.TrimSpace(lastRow) == "" {
		// The terminal wraps a long line anywhere.
		want := agent.Squeeze(lastRow)
		return len(want) >= PartMin && strings.HasSuffix(agent.Squeeze(line.Before), want)
	}
	entry, _ := agent.Line{Before: head}.Entry()
	return entry == agent.EntryEmpty || entry == agent.EntryLikelyEmpty || len(agent.Squeeze(lastRow)) >= PartMin
}

// upToCursor returns the screen up to the cursor, squeezed.
func (g *Capture) upToCursor() string {
	lines, row := g.Screen.Lines, len(g.Screen.Lines)-g.Screen.View.Height+g.Screen.View.Cursor.Y
	line, _ := agent.CursorLine(g.Screen)
	above := strings.Join(lines[:min(max(row, 0), len(lines))], "")
	return agent.Squeeze(Attributes().ReplaceAllString(above, "")) + agent.Squeeze(line.Before)
}

// Ends reports whether the screen ends with a text, which may be wrapped.
func (g *Capture) Ends(text string) bool {
	screen := Attributes().ReplaceAllString(strings.Join(g.Screen.Lines, "\n"), "")
	return strings.HasSuffix(agent.Squeeze(screen), agent.Squeeze(text))
}

// ShowsBehind reports whether a line of the screen has nothing but a word behind a text.
func (g *Capture) ShowsBehind(text, word string) bool {
	return slices.ContainsFunc(g.Screen.Lines, func(line string) bool {
		line = strings.TrimSpace(Attributes().ReplaceAllString(line, ""))
		_, behind, found := strings.Cut(line, text)
		return found && strings.TrimRight(strings.TrimSpace(behind), " │┃") == word
	})
}
