package widget

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"cupola/core"

	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textarea"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/layout"
)

// Editor is text being typed: a textarea or, for a single line, a textinput of bubbles. Both
// edit by code points. Here such keys go by grapheme clusters: a letter with its accents, or
// a whole emoji.
type Editor struct {
	// area is nil in a single line, and line otherwise.
	area *textarea.Model
	line *textinput.Model
	// drawn is the last result of Draw, for the input that it had; a long text is wrapped and styled again only if it
	// changes.
	drawn   []string
	drawnOf editorView
}

type editorView struct {
	theme   *theme.Theme
	w, h    int
	focused bool
}

// NewArea returns an editor of several lines, with its cursor behind a text. The
// placeholder is shown where there is none.
func NewArea(placeholder, text string) *Editor {
	area := textarea.New()
	area.Prompt, area.Placeholder, area.ShowLineNumbers = "", cells.Clean(placeholder), false
	area.CharLimit, area.MaxHeight, area.MaxWidth = 0, 0, 0
	area.KeyMap.Paste.SetEnabled(false) // it would read the clipboard from Update
	area.KeyMap.InsertNewline.SetKeys("enter", "ctrl+j")
	area.KeyMap.WordBackward.SetKeys("alt+left", "ctrl+left", "alt+b")
	area.KeyMap.WordForward.SetKeys("alt+right", "ctrl+right", "alt+f")
	area.Cursor.SetMode(cursor.CursorStatic)
	area.SetValue(clean(text))
	return &Editor{area: &area}
}

// NewLine returns an editor of a single line: line ends become blanks.
func NewLine(placeholder, text string) *Editor {
	line := textinput.New()
	line.Prompt, line.Placeholder = "", cells.Clean(placeholder)
	line.KeyMap.Paste.SetEnabled(false)
	line.Cursor.SetMode(cursor.CursorStatic)
	line.SetValue(clean(text))
	return &Editor{line: &line}
}

// Suggest offers texts that what was typed begins: the first one is shown behind it, the right arrow takes it, and
// ctrl+n shows the next. A text of several lines has none.
func (e *Editor) Suggest(texts []string) *Editor {
	if e.line != nil && len(texts) > 0 {
		shown := core.Map(texts, cells.Clean)
		e.line.ShowSuggestions = true
		e.line.SetSuggestions(shown)
		e.line.KeyMap.AcceptSuggestion.SetKeys("right")
		e.line.KeyMap.NextSuggestion.SetKeys("ctrl+n")
		e.line.KeyMap.PrevSuggestion.SetKeys("ctrl+p")
	}
	return e
}

// Replace replaces the text.
func (e *Editor) Replace(text string) {
	e.drawn = nil
	if e.line != nil {
		e.line.SetValue(clean(text))
		e.line.CursorEnd()
		return
	}
	e.area.SetValue(clean(text))
}

// tab replaces a tab in a textarea, which would make blanks of it. It is a code point
// for private use, so that prompts hold none.
const tab = "\U000f0009"

// typedSigns replaces the characters that bubbles would take otherwise.
var typedSigns = strings.NewReplacer("\r\n", "\n", "\u2028", "\n", "\u2029", "\n", "\t", tab)

// clean removes what cannot be seen from a text.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if cells.Hidden(r) && !extends(r) {
			return -1
		}
		return r
	}, typedSigns.Replace(text))
}

// extends reports whether what is not shown makes another character of the one
// before it: which form of an ideograph, or which of the flags of regions.
func extends(r rune) bool {
	return unicode.Is(unicode.Variation_Selector, r) || r >= '\U000e0020' && r <= '\U000e007f'
}

// Text returns what was typed.
func (e *Editor) Text() string {
	if e.line != nil {
		return strings.ReplaceAll(e.line.Value(), tab, " ")
	}
	return strings.ReplaceAll(e.area.Value(), tab, "\t")
}

// Last reports whether the cursor is on an empty last line, where one more line
// end may mean that the text is complete.
func (e *Editor) Last() bool {
	return e.area != nil && e.area.Line() == e.area.LineCount()-1 && strings.HasSuffix(e.area.Value(), "\n")
}

// Press applies a key, or a text that was pasted.
func (e *Editor) Press(pressed tea.KeyMsg) {
	if pressed.Type == tea.KeyRunes && !pressed.Alt {
		pressed.Runes = []rune(clean(string(pressed.Runes)))
		pressed.Paste = pressed.Paste || len(pressed.Runes) > 1 // a word is not the name of a key
	}
	e.drawn = nil
	if e.line != nil {
		e.line.Focus()
		for range e.steps(pressed) {
			*e.line, _ = e.line.Update(pressed)
		}
		return
	}
	e.area.Focus()
	before, _ := e.around()
	if key.Matches(pressed, e.area.KeyMap.WordBackward) && strings.TrimSpace(before) == "" {
		pressed = tea.KeyMsg{Type: tea.KeyCtrlHome} // a textarea looks for a word for ever
	}
	for range e.steps(pressed) {
		*e.area, _ = e.area.Update(pressed)
	}
}

// steps returns how many code points a key goes over: those of the character
// before or behind the cursor, 1 for other keys.
func (e *Editor) steps(pressed tea.KeyMsg) int {
	if pressed.Alt && pressed.Type == tea.KeyRunes && !strings.ContainsRune("bdf<>", pressed.Runes[0]) {
		return 0 // it would be typed
	}
	before, behind := e.around()
	size := 0
	switch pressed.String() {
	case "left", "ctrl+b", "backspace", "ctrl+h":
		before = before[strings.LastIndexByte(before, '\n')+1:]
		for ; before != ""; before = before[size:] {
			size = cells.First(before).Len
			behind = before[:size]
		}
	case "right", "ctrl+f", "delete", "ctrl+d":
		size = cells.First(behind).Len
	}
	return max(1, utf8.RuneCountInString(behind[:size]))
}

// around returns the text before the cursor and that behind it.
func (e *Editor) around() (before, behind string) {
	if e.line != nil {
		runes := []rune(e.line.Value())
		return string(runes[:e.line.Position()]), string(runes[e.line.Position():])
	}
	lines := strings.Split(e.area.Value(), "\n")
	row, info := e.area.Line(), e.area.LineInfo()
	line, column := []rune(lines[row]), info.StartColumn+info.ColumnOffset
	before = strings.Join(append(lines[:row:row], string(line[:column])), "\n")
	return before, strings.Join(append([]string{string(line[column:])}, lines[row+1:]...), "\n")
}

// Draw draws the text, with its cursor if it is focused. The last column is kept
// for the cursor.
func (e *Editor) Draw(t *theme.Theme, r layout.Rect, focused bool) []string {
	if r.Empty() {
		return pad(nil, r)
	}
	if of := (editorView{t, r.W, r.H, focused}); e.drawn == nil || e.drawnOf != of {
		e.drawn, e.drawnOf = nil, of
		for line := range strings.SplitSeq(e.view(of), "\n") {
			e.drawn = append(e.drawn, typedLine(t, line, r.W))
		}
	}
	return pad(e.drawn, r)
}

func (e *Editor) view(of editorView) string {
	if e.line != nil {
		e.line.CompletionStyle = of.theme.Lipgloss(theme.Dim)
		e.line.PlaceholderStyle, e.line.Cursor.Style = of.theme.Lipgloss(theme.Dim), of.theme.LipglossCursor()
		e.line.Width = of.w - min(1, len(e.line.Value())) // behind a text, one for the cursor
		e.line.SetCursor(e.line.Position())               // shows the part around it
		e.line.Focus()
		if !of.focused {
			e.line.Blur()
		}
		return e.line.View()
	}
	look := textarea.Style{Placeholder: of.theme.Lipgloss(theme.Dim)}
	e.area.FocusedStyle, e.area.BlurredStyle, e.area.Cursor.Style = look, look, of.theme.LipglossCursor()
	e.area.SetWidth(of.w)
	e.area.SetHeight(of.h)
	e.area.Focus()
	e.area.View() // it scrolls among the lines of its last view
	*e.area, _ = e.area.Update(nil)
	if !of.focused {
		e.area.Blur()
	}
	return e.area.View()
}

// typedLine makes a line that bubbles drew as safe as any other, and exactly w
// cells wide: bubbles counts graphemes. Where it is too wide, the cursor stays.
func typedLine(t *theme.Theme, line string, w int) string {
	var out strings.Builder
	for line != "" {
		plain := strings.IndexByte(line+"\x1b", '\x1b')
		out.WriteString(cells.Clean(strings.ReplaceAll(line[:plain], tab, t.Glyphs().Tab)))
		line = line[plain:]
		if style := cells.First(line); style.Escape {
			out.WriteString(line[:style.Len])
			line = line[style.Len:]
		}
	}
	line = out.String()
	if before, rest, focused := strings.Cut(line, t.Cursor().On); focused {
		under, _, _ := strings.Cut(rest, "\x1b")
		line = before + t.Here() + t.Cursor().On + rest
		line = cells.CutLeft(line, cells.Width(before)+cells.Width(under)-w)
	}
	return exactly(line, w)
}
