// Package settings lists the settings with their values and where these are from, and changes them.
package settings

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"cupola/core/config"
	"cupola/core/term/cells"
	"cupola/core/text/filter"
	"cupola/core/verb/settings"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// themeKey is the setting that is chosen from pictures rather than typed.
const themeKey = "display.theme"

// Question asks for the settings.
type Question struct{}

// Settings are the settings with their values.
type Settings struct {
	List []Setting
	// File is the user's file of settings, Keys that of the keys of the dashboard; there may be none.
	File, Keys string
}

// Setting is a setting with its value, and where that is from.
type Setting struct {
	Key    config.Key
	Value  string
	Origin config.Origin
}

// readSettings are the settings as they were read last.
var readSettings = &screen.Slot[Settings]{}

// Screen is the list with what is known of the selected setting.
type Screen struct {
	list screen.Listed[Setting]
	file string
}

// New makes the screen.
func New() *Screen { return &Screen{list: screen.ListOf[Setting]("name, meaning or value")} }

// Entry registers it.
var Entry = screen.Entry{
	Name: "settings", Key: "f9", Does: "settings, and where they are from", Alone: true,
	Words: "config preferences options",
	Keys:  []*intent.Scope{&intent.Setting}, Open: screen.Always(New),
}

// Scope is the table of active keys.
func (s *Screen) Scope() *intent.Scope { return &intent.Setting }

// Wants asks for the settings.
func (s *Screen) Wants(w *screen.World) []screen.Want {
	return []screen.Want{{Slot: readSettings, Question: Question{}, Version: w.Moment()}}
}

// Show limits the list to settings that contain a text; empty shows all.
func (s *Screen) Show(filter string) { s.list.Filter = filter }

// Shows is the filter.
func (s *Screen) Shows() string { return s.list.Filter }

// gather lists the settings, and finds the selected one again.
func (s *Screen) gather(w *screen.World) {
	read := &readSettings.In(w).Value
	s.file = read.File
	var rows []Setting
	shows := filter.Of(s.list.Filter)
	for _, one := range read.List {
		if shows.Matches([]string{one.Key.Name, one.Key.Doc, one.Value}, nil) {
			rows = append(rows, one)
		}
	}
	s.list.Take(rows, func(one *Setting) string { return one.Key.Name })
}

// Handle moves, and says which setting is meant.
func (s *Screen) Handle(wanted intent.Intent) intent.Intent {
	switch w := wanted.(type) {
	case intent.AskSetting, intent.ResetSetting:
		if one := s.list.Selected(); one != nil {
			return s.change(w, one)
		}
		return intent.Refuse{Why: "no setting is selected"}
	case intent.Edit:
		if s.file == "" {
			return nil
		}
		return intent.Edit{Root: filepath.Dir(s.file), Path: filepath.Base(s.file)}
	}
	return s.list.Handle(wanted)
}

// Applies reports whether the selected setting can be changed or reset.
func (s *Screen) Applies(wanted intent.Intent) bool {
	if !intent.Among(wanted, intent.AskSetting{}, intent.ResetSetting{}) {
		return true
	}
	one := s.list.Selected()
	return one != nil && screen.Acts(s.change(wanted, one))
}

// change says how a setting is changed, or why it cannot be here.
func (s *Screen) change(wanted intent.Intent, one *Setting) intent.Intent {
	name := one.Key.Name
	switch one.Origin.Layer {
	case config.Environment:
		return intent.Refuse{Why: fmt.Sprintf("%s says what %s is", one.Origin.Variable, name)}
	case config.Project:
		return intent.Refuse{Why: fmt.Sprintf("%s says what %s is, and wins over your own file", one.Origin, name)}
	}
	if _, reset := wanted.(intent.ResetSetting); reset {
		if one.Origin.Layer == config.Default {
			return intent.Refuse{Why: name + " has its usual value"}
		}
		return intent.Act{Input: settings.ConfigSetIn{Key: name, Unset: true}, What: name}
	}
	switch {
	case one.Key.Type == "table":
		return intent.Refuse{Why: name + " is written as a section of the file; E opens that"}
	case name == themeKey:
		return intent.AskTheme{}
	}
	return intent.AskSetting{
		Key: name, Type: one.Key.Type, Value: one.Value, Usual: one.Key.Default(), Doc: one.Key.Doc,
		Values: strings.Join(one.Key.Enum, ","),
	}
}

// nameWidth is the width of names, in cells.
const nameWidth = 26

// View draws the list, and the selected setting beside or below it.
func (s *Screen) View(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	s.gather(w)
	head, body := r.Top(1)
	title := "  Settings"
	if s.list.Filter != "" {
		title += " with " + cells.Clean(s.list.Filter)
	}
	changed := 0
	read := readSettings.In(w)
	for _, one := range read.Value.List {
		if one.Origin.Layer != config.Default {
			changed++
		}
	}
	var right widget.Line
	if n := len(read.Value.List); n > 0 {
		right = widget.Styled(theme.Dim, fmt.Sprintf("%d of %d differ from the defaults ", changed, n))
	}
	lines := widget.Bar(w.Theme, head, widget.Styled(theme.Header, title), right)
	empty := ""
	switch {
	case read.Wrong != "":
		return append(lines, screen.Trouble(w, body, w.Tilde(read.Wrong)+"; E opens the file")...)
	case !read.Read:
		empty = "reading" + w.Theme.Glyphs().Ellipsis
	case len(s.list.Rows) == 0:
		empty = "no setting contains that; Esc shows all"
	}
	if empty != "" {
		return append(lines, screen.Empty(w, body, empty)...)
	}
	return append(lines, screen.Split(w, body, len(s.list.Rows),
		func(r layout.Rect) []string { return s.table(w, r, zones) },
		func(r layout.Rect) []string { return s.detail(w, r) })...)
}

func (s *Screen) table(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	var rows widget.Rows
	for _, one := range s.list.Rows {
		token := theme.Dim
		if one.Origin.Layer != config.Default {
			token = theme.Strong
		}
		rows.Left = append(rows.Left, widget.Line{
			{Token: theme.Text, Text: widget.Fit(w.Theme, one.Key.Name, nameWidth)},
			{Token: token, Text: " " + cells.Clean(cmp.Or(one.Value, "-"))},
		})
		rows.Right = append(rows.Right, widget.Styled(token, " "+origin(one)))
	}
	return s.list.Draw(w, r, rows, zones)
}

// origin is where a value is from, in a word; empty for the usual value.
func origin(one Setting) string {
	if one.Origin.Layer == config.Default {
		return ""
	}
	return string(one.Origin.Layer) + " "
}

// detail draws what is known of the selected setting.
func (s *Screen) detail(w *screen.World, r layout.Rect) []string {
	one := s.list.Selected()
	width := max(1, r.W-2)
	rows := []widget.Line{widget.Styled(theme.Header, one.Key.Name)}
	rows = append(rows, screen.Paragraph(theme.Text, one.Key.Doc+".", width)...)
	rows = append(rows, nil)
	fact := func(label, text string) { rows = append(rows, screen.Fact(label, text, width)...) }
	fact("value", cmp.Or(one.Value, "none"))
	if one.Origin.Layer != config.Default {
		fact("from", w.Tilde(one.Origin.String()))
	}
	fact("usually", cmp.Or(one.Key.Default(), "none"))
	fact("allowed", strings.Join(one.Key.Enum, ", "))
	if len(one.Key.Enum) == 0 {
		fact("type", one.Key.Type)
	}
	fact("environment", one.Key.Env())
	if one.Key.Guard != "" {
		fact("projects", "must not set it: "+one.Key.Guard)
	}
	rows = append(rows, nil)
	files := &readSettings.In(w).Value
	fact("file", w.Tilde(files.File))
	fact("keys", w.Tilde(files.Keys))
	return widget.Block(r, widget.List(w.Theme, r, widget.Rows{Selected: -1, Left: rows}))
}
