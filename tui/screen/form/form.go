// Package form asks for what an act needs: a prompt, a session to start, a name,
// a yes. A form lies over the screen that it was asked from.
package form

import (
	"strings"

	"cupola/core"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// Form is a box with fields, or with a question.
type Form struct {
	title  string
	fields []field
	at     int
	// said is what is wrong with what was typed.
	said string
	// make turns what was typed into what is wanted, or says what is wrong.
	make func(values []string) (wanted intent.Intent, wrong string)
	// keep is called with what was typed when the form is left without accepting.
	keep  func(values []string)
	width int
}

type field struct {
	label, placeholder string
	editor             widget.Editor
	lines              int
}

func line(label, placeholder, text string) field {
	f := field{label: label, placeholder: placeholder, lines: 1}
	f.editor.Single = true
	f.editor.Set(text)
	return f
}

// Scope is the table of keys that hold.
func (f *Form) Scope() *intent.Scope {
	if len(f.fields) == 0 {
		return &intent.Question
	}
	return &intent.Form
}

// Visible are no panes.
func (f *Form) Visible() []core.PaneID { return nil }

// Handle edits. It returns what is wanted once the form is accepted, and Back
// when it is left.
func (f *Form) Handle(wanted intent.Intent) intent.Intent {
	switch w := wanted.(type) {
	case intent.Submit:
		return f.accept()
	case intent.Back:
		if f.keep != nil {
			f.keep(f.values())
		}
		return wanted
	case intent.NextField:
		f.at = (f.at + w.By + len(f.fields)) % max(1, len(f.fields))
	case intent.Type:
		return f.typed(w)
	}
	return nil
}

func (f *Form) typed(w intent.Type) intent.Intent {
	if len(f.fields) == 0 {
		return nil
	}
	f.said = ""
	current := &f.fields[f.at]
	switch {
	case w.Text != "":
		current.editor.Insert(w.Text)
	case w.Key == "enter" && current.lines == 1 && f.at < len(f.fields)-1:
		f.at++
	case w.Key == "enter" && (current.lines == 1 || current.editor.Last()):
		return f.accept()
	default:
		current.editor.Press(w.Key, f.width)
	}
	return nil
}

func (f *Form) accept() intent.Intent {
	wanted, wrong := f.make(f.values())
	f.said = wrong
	return wanted
}

func (f *Form) values() []string {
	values := make([]string, len(f.fields))
	for i := range f.fields {
		values[i] = f.fields[i].editor.Text()
	}
	return values
}

// Rect is where the form lies in a display.
func (f *Form) Rect(r layout.Rect) layout.Rect {
	height := 3
	for i := range f.fields {
		height += 1 + f.fields[i].lines
	}
	return r.Centred(min(r.W, 76), min(r.H, height))
}

// View draws the box.
func (f *Form) View(w *screen.World, r layout.Rect, _ *layout.Zones) []string {
	inner := widget.Inner(r)
	f.width = inner.W
	frame := widget.Frame{Title: widget.Say(theme.Strong, f.title), Focused: true}
	var body []string
	for i := range f.fields {
		each := &f.fields[i]
		if each.label != "" {
			body = append(body, say(w, theme.Dim, each.label))
		}
		area := layout.Rect{W: inner.W, H: f.lines(each, inner.H-len(body)-1)}
		body = append(body, widget.Input(w.Theme, area, widget.Entry{Editor: &each.editor, Placeholder: each.placeholder, Focused: i == f.at})...)
	}
	if f.said != "" {
		body = append(body, say(w, theme.Danger, f.said))
	}
	return widget.Box(w.Theme, r, frame, body)
}

// lines is how many a field gets where room lines are left.
func (f *Form) lines(each *field, room int) int { return max(1, min(each.lines, room)) }

// say is a line of text; the box cuts it to its width.
func say(w *screen.World, token theme.Token, text string) string {
	return w.Theme.Ink(token).Paint(widget.Clean(text))
}

func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' })
}
