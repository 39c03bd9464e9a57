package form

import (
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

const (
	// widest is the most that a box takes, margin what it leaves free at either
	// side of what it holds, in cells.
	widest, margin = 76, 1
	// leastEditor is the least width of a field beside its label.
	leastEditor = 16
)

// Rect returns the rect of the form in a display.
func (f *Form) Rect(r layout.Rect) layout.Rect {
	w := min(r.W, widest)
	if f.question != nil {
		return r.Centred(w, 2+f.question.height(inside(layout.Rect{W: w, H: 3}).W))
	}
	room := inside(layout.Rect{W: w, H: 3}).W
	height := 2 + len(f.preface(room)) + len(f.message(room))
	for i := range f.fields {
		height += f.fields[i].lines
	}
	if f.palette != nil {
		height += min(max(paletteLines, r.H/2), max(leastPalette, len(f.palette.entries)))
	}
	if f.Asks() {
		height += 2 // its buttons
	}
	if len(f.fields) > 1 && f.wrong == "" {
		height++ // what is wrong has its line before it is said
	}
	return r.Centred(w, height)
}

func inside(r layout.Rect) layout.Rect {
	inner := widget.Inner(r)
	_, inner = inner.Left(margin)
	inner, _ = inner.Right(margin)
	return inner
}

// View draws the box. On a small display it shows the part with the focused field.
func (f *Form) View(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	inner := inside(r)
	if f.question != nil {
		return f.boxed(w, r, f.question.draw(w, inner, f.wrong, zones))
	}
	if f.palette != nil {
		head, list := inner.Top(1)
		typed := f.fields[0].editor.Draw(w.Theme, head, true)
		if len(f.palette.found) > 0 {
			typed = widget.WithoutCursor(typed)
		}
		return f.boxed(w, r, append(typed, f.palette.draw(w, list)...))
	}
	message := f.message(inner.W)
	preface := f.preface(inner.W)
	preface = preface[:max(0, min(len(preface), inner.H-len(message)-1))]
	room := max(1, inner.H-len(message)-len(preface))
	message = message[:min(len(message), max(0, inner.H-1))]
	if f.Asks() {
		room, message = 0, f.message(inner.W)
	}
	var body []string
	focus := 0
	for i := range f.fields {
		if i == f.at {
			focus = len(body)
		}
		body = append(body, f.draw(w, i, inner.W, min(f.fields[i].lines, room))...)
	}
	top := widget.FirstVisible(0, focus, len(body), room)
	body = body[top:min(len(body), top+room)]
	for i := range preface {
		preface[i] = w.Theme.Style(theme.Text).Render(preface[i])
	}
	body = append(preface, body...)
	token := theme.Text
	if f.wrong != "" {
		token = theme.Danger
	}
	for _, line := range message {
		body = append(body, w.Theme.Style(token).Render(line))
	}
	if f.Asks() {
		body = append(body[:min(len(body), max(0, inner.H-2))], "", f.buttons(w))
	}
	return f.boxed(w, r, body)
}

// buttons says what answers a question, inside its box.
func (f *Form) buttons(w *screen.World) string {
	var line string
	for _, binding := range w.Keys.Of(f.Scope()).ShortHelp() {
		help := binding.Help()
		words := help.Desc
		if words == "yes" {
			words = f.verb
		}
		line += w.Theme.Style(theme.FooterKey).Render(help.Key) + w.Theme.Style(theme.Text).Render(" "+words+"    ")
	}
	return line
}

// boxed draws the frame around what the form holds.
func (f *Form) boxed(w *screen.World, r layout.Rect, body []string) []string {
	for i := range body {
		body[i] = " " + body[i]
	}
	frame := widget.Frame{Title: widget.Styled(theme.Strong, f.title), Focused: true}
	if f.danger {
		frame.Title, frame.Border = widget.Styled(theme.Danger, f.title), theme.Danger
	}
	return widget.Box(w.Theme, r, frame, body)
}

// draw draws a field, behind its label if both fit.
func (f *Form) draw(w *screen.World, i, width, height int) []string {
	each := &f.fields[i]
	area := layout.Rect{W: width, H: height}
	label, area := area.Left(f.column(width))
	token := theme.Dim
	if i == f.at {
		token = theme.Accent
	}
	return widget.Beside(widget.Bar(w.Theme, label, widget.Styled(token, each.label), nil),
		each.editor.Draw(w.Theme, area, i == f.at))
}

// column is the width of the labels; 0 where there is none.
func (f *Form) column(width int) int {
	column := 0
	for i := range f.fields {
		if label := f.fields[i].label; label != "" {
			column = max(column, cells.Width(label)+2)
		}
	}
	return max(0, min(column, width-leastEditor))
}
