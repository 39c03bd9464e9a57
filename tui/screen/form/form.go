// Package form asks for what an act needs: a prompt, a session to start, a name, a yes. A
// form covers the screen from which it was opened.
package form

import (
	"slices"
	"strings"

	"cupola/core"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/widget"
)

// Form is a box with fields, or with a question.
type Form struct {
	// quick is true if Enter accepts the form in every field of one line; Tab goes to the next one.
	quick bool
	title string
	// verb says in a word for the footer what accepting does.
	verb   string
	fields []field
	at     int
	// says is the text below the fields, or above them if above; wrong is the error in the input, below them.
	says, wrong string
	above       bool
	// make turns the input into an intent, or returns an error.
	make func(values []string) (wanted intent.Intent, wrong string)
	// keep is called with the input when the form is closed without accepting.
	keep func(values []string)
	// recalled are texts that ctrl+p and ctrl+n put into the last field.
	recalled recalled
	// question is the dialog of an agent, palette a list that is searched; both are nil in other forms.
	question *question
	palette  *palette
	// danger is true for a question whose yes destroys: only a capital letter answers it.
	danger bool
	// live is called with the input after every key; nil for none. It returns what to do at once.
	live func(values []string) intent.Intent
	// left returns what to do when the form is left; nil for none.
	left func() intent.Intent
}

// input is the content of a field: a text, or a choice.
type input interface {
	// Text is the value.
	Text() string
	// Last reports whether the cursor is on an empty last line.
	Last() bool
	Press(pressed tea.KeyMsg)
	Draw(t *theme.Theme, r layout.Rect, focused bool) []string
}

type field struct {
	label  string
	editor input
	lines  int
	// begin is the text at the beginning.
	begin string
}

func line(label, placeholder, text string) field {
	return field{label: label, lines: 1, editor: widget.NewLine(placeholder, text), begin: text}
}

// area is a field of a few lines.
func area(label, placeholder, text string) field {
	return field{label: label, lines: fewLines, editor: widget.NewArea(placeholder, text), begin: text}
}

// Scope is the table of active keys.
func (f *Form) Scope() *intent.Scope {
	switch {
	case f.question != nil:
		return &intent.Deciding
	case f.danger:
		return &intent.Ending
	case f.Asks():
		return &intent.Asking
	case f.palette != nil:
		return &intent.Choosing
	}
	return &intent.Form
}

// Asks reports whether the form is a question, which a yes answers.
func (f *Form) Asks() bool { return len(f.fields) == 0 }

// ShortHelp returns the hints of the footer.
func (f *Form) ShortHelp(keys *intent.Keymap) []key.Binding {
	scope := keys.Of(f.Scope())
	var short []key.Binding
	for i, binding := range scope.ShortHelp() {
		name := scope.Footer[i]
		meaning := scope.Find(name).Intent
		switch {
		case f.question != nil && f.question.refusal(meaning) != "":
			continue
		case meaning == intent.NextField{By: 1} && len(f.fields) < 2,
			meaning == intent.Recollect{By: 1} && len(f.recalled.texts) == 0:
			continue
		case meaning == intent.Submit{}:
			if f.quick || len(f.fields) == 1 && f.fields[0].lines == 1 {
				name = "enter"
			}
			binding.SetHelp(intent.Name(name), f.verb)
		}
		short = append(short, binding)
	}
	return short
}

// Handle edits. It returns the intent when the form is accepted, and Back when it is closed.
func (f *Form) Handle(wanted intent.Intent) intent.Intent {
	if f.question != nil {
		return f.decide(wanted)
	}
	if f.palette != nil && f.palette.moved(wanted) {
		return nil
	}
	switch w := wanted.(type) {
	case intent.Submit:
		return f.accept()
	case intent.Back:
		if f.keep != nil {
			f.keep(f.values())
		}
		f.at = 0 // where it begins if it comes back
		return wanted
	case intent.NextField:
		f.at = (f.at + w.By + len(f.fields)) % max(1, len(f.fields))
	case intent.Recollect:
		return f.recollect(w.By)
	case intent.Type:
		return f.typed(w)
	}
	return nil
}

func (f *Form) typed(w intent.Type) intent.Intent {
	if f.Asks() {
		return nil
	}
	f.wrong = ""
	if f.palette != nil {
		f.fields[0].editor.Press(w.Key)
		f.palette.search(f.fields[0].editor.Text())
		return nil
	}
	current := &f.fields[f.at]
	switch pressed := w.Key.String(); {
	case pressed == "enter" && current.lines == 1 && f.at < len(f.fields)-1 && !f.quick:
		f.at++
	case pressed == "enter" && (current.lines == 1 || current.editor.Last()):
		return f.accept()
	case current.lines == 1 && (pressed == "up" || pressed == "down"):
		f.step(pressed)
	default:
		current.editor.Press(w.Key)
	}
	return nil
}

// recollect puts an earlier text into the last field. In another one it is a key like others.
func (f *Form) recollect(by int) intent.Intent {
	editor, is := f.fields[f.at].editor.(*widget.Editor)
	if is && f.at == len(f.fields)-1 && len(f.recalled.texts) > 0 {
		f.recalled.put(editor, by)
		return nil
	}
	key := tea.KeyMsg{Type: tea.KeyCtrlP}
	if by < 0 {
		key.Type = tea.KeyCtrlN
	}
	return f.typed(intent.Type{Key: key})
}

// recalled are texts to take instead of what was typed, the newest first.
type recalled struct {
	texts []string
	// began is the text that was typed, which the number of the displayed text, from 1.
	began string
	at    int
}

// put puts a text that is by further back into an editor; after the newest comes what was typed.
func (r *recalled) put(editor *widget.Editor, by int) {
	if r.at == 0 {
		r.began = editor.Text()
	}
	if r.at = max(0, min(r.at+by, len(r.texts))); r.at == 0 {
		editor.Replace(r.began)
		return
	}
	editor.Replace(r.texts[r.at-1])
}

// step goes to the field above or below, if there is one.
func (f *Form) step(key string) {
	by := 1
	if key == "up" {
		by = -1
	}
	f.at = max(0, min(f.at+by, len(f.fields)-1))
}

// Meanwhile returns what the input means before it is accepted, or what leaving the form means; nil if nothing.
func (f *Form) Meanwhile(left bool) intent.Intent {
	switch {
	case left && f.left != nil:
		return f.left()
	case !left && f.live != nil:
		return f.live(f.values())
	}
	return nil
}

// Title names the form and what it is about.
func (f *Form) Title() string { return f.title }

// Several reports whether the form has several fields.
func (f *Form) Several() bool { return len(f.fields) > 1 }

// Typed reports whether the fields hold something else than at the beginning.
func (f *Form) Typed() bool {
	return slices.ContainsFunc(f.fields, func(one field) bool { return one.editor.Text() != one.begin })
}

// Refuse says what was wrong with the accepted input, at the field that the error names a word of.
func (f *Form) Refuse(wrong string) {
	f.wrong = wrong
	longest := 0
	for i, value := range f.values() {
		for _, word := range strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(" ,=:", r) }) {
			if len(word) > longest && strings.Contains(wrong, word) {
				f.at, longest = i, len(word)
			}
		}
	}
}

func (f *Form) accept() intent.Intent {
	wanted, wrong := f.make(f.values())
	f.wrong = wrong
	return wanted
}

func (f *Form) values() []string {
	return core.Map(f.fields, func(one field) string { return one.editor.Text() })
}

// message returns the text below the fields, in lines of at most w cells.
func (f *Form) message(w int) []string {
	text := f.wrong
	if text == "" && !f.above {
		text = f.says
	}
	return wrapped(text, w)
}

// preface returns the text above the fields, in lines of at most w cells.
func (f *Form) preface(w int) []string {
	if !f.above {
		return nil
	}
	return wrapped(f.says, w)
}

func wrapped(text string, w int) []string {
	if text == "" || w < 1 {
		return nil
	}
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, cells.Wrap(cells.Clean(line), w)...)
	}
	return lines
}

func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' })
}
