package agent

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"cupola/core"
	"cupola/core/term/cells"
)

// Entry says whether the line that a program edits contains text that was typed and not
// entered yet.
type Entry int

// The entries. EntryEmpty is a prompt with nothing behind it. EntryLikelyEmpty ends like a
// prompt, but typed words could end like that too. EntryUnknown may be a prompt or text.
// EntryTyped certainly contains text.
const (
	EntryUnknown Entry = iota
	EntryEmpty
	EntryLikelyEmpty
	EntryTyped
)

// Line is the line that contains the cursor, with wrapped rows joined.
type Line struct {
	// Before is the text before the cursor, with the blanks up to it.
	Before string
	// After is the typed text behind the cursor. A suggestion that is drawn faint or grey,
	// and a prompt at the right edge, are not part of it.
	After string
	// Above is the beginning of a command that this line continues; empty if it
	// continues none.
	Above string
}

// CursorLine returns the line of the cursor. It returns false where there is none:
// on a screen whose viewport is unknown, with a hidden cursor, or of a full-screen
// program.
func CursorLine(screen *core.Screen) (Line, bool) {
	p := newPage(screen)
	view := screen.View
	if !p.caret.known || !p.caret.visible || view.AlternateOn || p.caret.row < 0 || p.caret.row >= len(p.rows) {
		return Line{}, false
	}
	row := p.caret.row
	before := columns(p.rows[row], 0, p.caret.column)
	before += strings.Repeat(" ", max(0, p.caret.column-cells.Width(before)))
	for row > 0 && wraps(p.rows[row-1], view.Width) {
		row--
		before = p.rows[row] + before
	}
	line := Line{Before: before}
	if behind := columns(p.rows[p.caret.row], p.caret.column, 1<<20); behind != "" &&
		!p.suggested(p.caret.row, p.caret.column) {
		line.After = typedBehind(behind, view.Width-p.caret.column)
	}
	line.Before, line.After = unboxed(line.Before), unboxed(line.After)
	line.Above = continues(p.rows[:row], line.Before)
	return line, true
}

// wraps reports whether a row continues in the next one. Rows of drawing characters fill the screen too, and do not.
func wraps(row string, width int) bool {
	if width <= 0 || row == "" || cells.Width(row) < width {
		return false
	}
	last := []rune(row)[len([]rune(row))-1]
	return (last < '\u2500' || last > '\u259f') && last != '·' && last != '…'
}

// unboxed is a text without the sides of a box around it.
func unboxed(text string) string {
	const sides = "│┃|"
	if rest := strings.TrimLeft(text, " "); rest != "" && strings.ContainsRune(sides, []rune(rest)[0]) {
		text = string([]rune(rest)[1:])
	}
	if rest := strings.TrimRight(text, " "); strings.HasSuffix(rest, "│") || strings.HasSuffix(rest, "┃") {
		text = strings.TrimRight(strings.TrimRight(rest, "│┃"), " ")
	}
	return text
}

// typedBehind is the text behind the cursor without a prompt at the right edge,
// which begins after some blanks and ends at the edge.
func typedBehind(behind string, room int) string {
	text := strings.TrimLeft(behind, " ")
	if gap := cells.Width(behind) - cells.Width(text); gap >= 2 && cells.Width(behind) >= room-2 {
		return ""
	}
	return behind
}

// suggested reports whether the text from a column on is drawn as suggestions
// are.
func (p *page) suggested(row, column int) bool {
	drawn := cells.Dimmed(p.raw[:row+1])
	return column < len(drawn) && drawn[column]
}

// strong are the characters of ends that hardly end any other text.
const ends = "$#%>❯›»➜λ⟩▶\ue0b0✗✘:?)"

// strong are the characters of ends that end hardly any other text.
const strong = "$#%>❯›»➜λ⟩▶\ue0b0"

// Entry says whether the line contains typed text, and returns the text that may be it: all
// behind what may be the prompt.
func (l Line) Entry() (entry Entry, typed string) {
	prompt, blanks := trimmed(l.Before)
	switch {
	case l.Above != "":
		return EntryTyped, strings.TrimSpace(l.Above)
	case strings.TrimSpace(l.After) != "":
		_, typed = l.afterPrompt()
		return EntryTyped, strings.TrimSpace(typed + blanks + l.After)
	case prompt == "":
		return EntryEmpty, ""
	}
	ended := blanks != "" && strings.ContainsRune(ends, last(prompt))
	head, rest := l.afterPrompt()
	switch {
	case !ended, head != "" && rest != "":
		return EntryUnknown, rest
	case strings.ContainsAny(strings.TrimSpace(prompt), " \t"), !strings.ContainsRune(strong, last(prompt)):
		return EntryLikelyEmpty, ""
	}
	return EntryEmpty, ""
}

// afterPrompt splits the text before the cursor behind the first thing that
// looks like a prompt; head is empty where nothing does.
func (l Line) afterPrompt() (head, rest string) {
	runes := []rune(l.Before)
	for i := 0; i+1 < len(runes); i++ {
		if strings.ContainsRune(strong, runes[i]) && runes[i+1] == ' ' {
			return string(runes[:i+1]), strings.TrimSpace(string(runes[i+1:]))
		}
	}
	return "", ""
}

// trimmed splits the blanks at its end from a text.
func trimmed(text string) (head, blanks string) {
	head = strings.TrimRight(text, " \t")
	return head, text[len(head):]
}

func last(text string) rune {
	runes := []rune(text)
	return runes[len(runes)-1]
}

// continued matches the prompts of lines that continue an unfinished command. zsh's prompts name its parts.
var continued = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`^((quote|dquote|bquote|heredocd?|for|foreach|while|until|repeat|select|if|then|else|elif|elif-then|case|` +
			`function|subsh|cursh|cmdsubst|mathsubst|cmdand|cmdor|cond|pipe|braceparam|array|math|always|` +
			`nocorrect|noglob|errpipe|bslash)(?: |(?:> $)))+`,
	)
})

// continues returns the beginning of the command that a line continues, given the rows above it; empty if the line
// begins one.
func continues(above []string, before string) string {
	prompt, _ := trimmed(before)
	first := ""
	switch word, _, _ := strings.Cut(prompt, " "); {
	case word == ">", word == "...":
		first = word
	case continued().MatchString(before) && len(above) > 0:
		return above[len(above)-1]
	default:
		return ""
	}
	for _, row := range slices.Backward(above) {
		if row == first || strings.HasPrefix(row, first+" ") {
			continue
		}
		if head, rest := (Line{Before: row + " "}).afterPrompt(); head != "" && rest != "" &&
			(first != "..." || strings.HasSuffix(head, ">>>")) {
			return row
		}
		return ""
	}
	return ""
}
