package chat

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/bubbles/key"

	"cupola/core"
	"cupola/core/agent/acp"
	"cupola/core/term/cells"
	"cupola/core/text/report"
	"cupola/theme"
	"cupola/tui/layout"
	"cupola/tui/markdown"
	"cupola/tui/widget"
)

// ink draws texts and tool calls.
type ink struct {
	look *theme.Theme
	// details unfolds tool calls.
	details bool
}

// style styles a text of one line, made safe.
func (c *ink) style(token theme.Token, text string) string {
	return c.look.Style(token).Render(cells.Clean(text))
}

// cut is style for as much of a text as has room in w cells.
func (c *ink) cut(token theme.Token, text string, w int) string {
	return c.style(token, cells.Cut(text, w, c.look.Glyphs().Ellipsis))
}

// more says how many of something are left out.
func (c *ink) more(n int, what string) string {
	return fmt.Sprintf("%s %d %s", c.look.Glyphs().Ellipsis, n, what)
}

// header draws the agent, its state, its settings and its usage.
func (c *Chat) header(r layout.Rect) []string {
	state := c.state.State
	left := c.ink.style(theme.Strong, " "+c.name) + "  " +
		c.ink.style(theme.State(state), c.look.Glyph(state)+" "+c.stateWords())
	right := used(c.state.Usage)
	for _, category := range []string{acp.ModelSetting, acp.ModeSetting} {
		for i := range c.settings {
			if s := &c.settings[i]; s.Category == category {
				right = append(right, valueName(s))
			}
		}
	}
	shown := c.ink.style(theme.Dim, strings.Join(right, " "+c.look.Glyphs().Dot+" ")+" ")
	room := r.W - cells.Width(cells.Strip(left)) - cells.Width(cells.Strip(shown))
	for room < 1 && len(right) > 0 {
		right = right[1:]
		shown = c.ink.style(theme.Dim, strings.Join(right, " "+c.look.Glyphs().Dot+" ")+" ")
		room = r.W - cells.Width(cells.Strip(left)) - cells.Width(cells.Strip(shown))
	}
	return widget.Block(r, []string{left + strings.Repeat(" ", max(0, room)) + shown})
}

// stateWords says the state, its reason and its age or, for a screen reader, when it began.
func (c *Chat) stateWords() string {
	state := &c.state
	words := string(state.State)
	if state.Reason != "" && state.Reason != core.ReasonOther {
		words += " " + strings.ReplaceAll(string(state.Reason), "_", " ")
	}
	switch {
	case state.State != core.Working && state.State != core.Waiting:
	case c.look.Accessible():
		words += " since " + state.Since.Local().Format("15:04")
	default:
		words += " " + report.Age(state.Since, c.now())
	}
	return words
}

func valueName(s *acp.Setting) string {
	for _, value := range s.Values {
		if value.ID == s.Value {
			return value.Name
		}
	}
	return s.Value
}

// used says the usage in short.
func used(usage *acp.Usage) (words []string) {
	if usage == nil {
		return nil
	}
	if total := usage.Input + usage.Output; total > 0 {
		words = append(words, report.Grouped(total)+" tokens")
	}
	if usage.CostUSD != nil {
		words = append(words, fmt.Sprintf("$%.4f", *usage.CostUSD))
	}
	if usage.Size > 0 {
		words = append(words, fmt.Sprintf("context %d%%", 100*usage.Window/usage.Size))
	}
	return words
}

// conversation draws what was said.
func (c *Chat) conversation(r layout.Rect) []string {
	if r.Empty() {
		return nil
	}
	if c.drawn != r.W {
		atEnd := c.drawn == 0 && c.scroll.AtEnd() || c.scroll.Lines() == 0
		top := c.scroll.Top
		var lines []string
		for i := range c.items {
			lines = append(lines, c.laidOut(&c.items[i], r.W)...)
		}
		c.scroll.Set(lines, atEnd, top)
		c.drawn = r.W
	}
	return c.scroll.Draw(c.look, r, c.cache)
}

// laidOut returns the lines of an item for a width.
func (c *Chat) laidOut(it *item, w int) []string {
	if it.width == w {
		return it.lines
	}
	it.width = w
	inner := max(1, w-2)
	switch it.sort {
	case user:
		it.lines = c.ink.hang(theme.Accent, c.look.Glyphs().Chosen, theme.Strong, c.ink.by("you", it.text), inner)
	case agent:
		it.lines = nil
		for line := range strings.Lines(markdown.Render(it.text, inner, c.look)) {
			it.lines = append(it.lines, "  "+strings.TrimSuffix(line, "\n"))
		}
	case thought:
		text := it.text
		if !c.ink.details {
			text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
		}
		it.lines = c.ink.hang(theme.Dim, c.look.Glyphs().Dot, theme.Dim, c.ink.by("thought", text), inner)
	case call:
		it.lines = c.ink.callLines(&it.call, inner)
		return it.lines
	case notice:
		it.lines = c.ink.hang(theme.Warn, c.look.Glyphs().Dot, theme.Dim, c.ink.by("notice", it.text), inner)
	case failure:
		it.lines = c.ink.hang(theme.Danger, "!", theme.Danger, c.ink.by("error", it.text), inner)
	}
	it.lines = append(it.lines, "")
	return it.lines
}

// by begins a text with who or what says it, for a screen reader: others see a mark.
func (c *ink) by(who, text string) string {
	if c.look.Accessible() {
		return who + ": " + text
	}
	return text
}

// hang wraps a text behind a mark.
func (c *ink) hang(token theme.Token, mark string, of theme.Token, text string, w int) []string {
	if c.look.Accessible() {
		mark = " "
	}
	var lines []string
	for i, line := range strings.Split(strings.TrimSpace(cells.Safe(text)), "\n") {
		for j, part := range cells.Wrap(strings.ReplaceAll(line, "\t", "    "), w) {
			before := "  "
			if i == 0 && j == 0 {
				before = c.style(token, mark) + " "
			}
			lines = append(lines, before+c.style(of, part))
		}
	}
	return lines
}

// The most lines of a tool call's output and of a diff that show.
const (
	mostOutput = 40
	fewLines   = 6
)

// callLines draws a tool call: one line, and its output and diffs where they are unfolded.
func (c *ink) callLines(one *acp.Call, w int) []string {
	mark, token := c.look.Glyphs().Closed, theme.Busy
	switch one.Status {
	case acp.Completed:
		mark, token = c.look.Glyph(core.Done), theme.Good
	case acp.Failed:
		mark, token = "!", theme.Danger
	case acp.Dropped:
		mark, token = c.look.Glyphs().Dot, theme.Dim
	}
	title := one.Title
	if one.Command != "" && one.Command != title {
		title += ": " + one.Command
	}
	note := ""
	if one.Status == acp.Failed || one.Status == acp.Dropped || c.look.Accessible() && one.Status != "" {
		note = " (" + string(one.Status) + ")"
	}
	lines := []string{c.style(token, mark) + " " + c.cut(theme.Text, one.Kind+" "+title+note, w)}
	for i := range one.Diffs {
		most := fewLines
		if c.details {
			most = mostOutput
		}
		lines = append(lines, c.diff(&one.Diffs[i], w, most)...)
	}
	if c.details && strings.TrimSpace(one.Output) != "" {
		out := strings.Split(strings.TrimRight(one.Output, "\n"), "\n")
		for _, line := range out[:min(len(out), mostOutput)] {
			lines = append(lines, "    "+c.cut(theme.Dim, cells.Clean(line), max(1, w-4)))
		}
		if more := len(out) - mostOutput; more > 0 {
			lines = append(lines, "    "+c.style(theme.Dim, c.more(more, "lines more")))
		}
	}
	return lines
}

// diff draws the changed lines of a file.
func (c *ink) diff(d *acp.Diff, w, most int) []string {
	lines := []string{"    " + c.cut(theme.Strong, d.Path, max(1, w-4))}
	old, fresh := strings.Split(d.Old, "\n"), strings.Split(d.New, "\n")
	if d.Old == "" {
		old = nil
	}
	for len(old) > 0 && len(fresh) > 0 && old[0] == fresh[0] {
		old, fresh = old[1:], fresh[1:]
	}
	for len(old) > 0 && len(fresh) > 0 && old[len(old)-1] == fresh[len(fresh)-1] {
		old, fresh = old[:len(old)-1], fresh[:len(fresh)-1]
	}
	left := most
	for _, side := range []struct {
		sign  string
		token theme.Token
		lines []string
	}{{"-", theme.Danger, old}, {"+", theme.Good, fresh}} {
		shown := side.lines[:min(len(side.lines), max(1, left))]
		left -= len(shown)
		for _, line := range shown {
			text := cells.Cut(side.sign+" "+cells.Clean(line), max(1, w-4), c.look.Glyphs().Ellipsis)
			lines = append(lines, "    "+c.style(side.token, text))
		}
		if more := len(side.lines) - len(shown); more > 0 {
			lines = append(lines, "    "+c.style(theme.Dim, side.sign+" "+c.more(more, "lines more")))
		}
	}
	return lines
}

// waiting draws the plan, the request that waits and the queue, in at most two thirds of a rectangle.
func (c *Chat) waiting(r layout.Rect) []string {
	most := r.H * 2 / 3
	var lines []string
	if ask := c.ask(); ask != nil {
		lines = c.permission(r.W, most, ask)
	} else if c.state.State == core.Working {
		lines = c.planLines(r.W)
	}
	for i, text := range c.queue {
		if i == 2 {
			lines = append(lines, c.ink.style(theme.Dim, "  "+c.ink.more(len(c.queue)-2, "more are queued")))
			break
		}
		lines = append(lines, c.ink.cut(theme.Dim, "  queued: "+cells.Clean(text), r.W))
	}
	return lines[:min(len(lines), most)]
}

// planLines draws the steps of the plan that are not done, and how many are.
func (c *Chat) planLines(w int) []string {
	var lines []string
	done := 0
	for _, step := range c.plan {
		if step.Status == "completed" {
			done++
			continue
		}
		token, mark := theme.Dim, c.look.Glyphs().Unfilled
		text := step.Text
		if step.Status == "in_progress" {
			token, mark, text = theme.Text, c.look.Glyphs().Chosen, c.ink.by("now", text)
		}
		if len(lines) < fewLines {
			lines = append(lines, "  "+c.ink.cut(token, mark+" "+text, max(1, w-2)))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	head := c.ink.style(theme.Dim, fmt.Sprintf("  plan, %d of %d done", done, len(c.plan)))
	return append([]string{head}, lines...)
}

// permission draws the request that waits. Its options are never left out for its details.
func (c *Chat) permission(w, most int, ask *acp.Ask) []string {
	inner := max(1, w-4)
	var options []string
	for i, option := range ask.Options {
		token := theme.Text
		if strings.HasPrefix(option.Kind, "reject") {
			token = theme.Dim
		}
		digit := fmt.Sprintf("%d ", i+1)
		if i > 8 {
			digit = "  "
		}
		note := ""
		if strings.HasSuffix(option.Kind, "_always") && !strings.Contains(strings.ToLower(option.Name), "alway") {
			note = " (always)"
		}
		options = append(options, c.ink.style(theme.Accent, digit)+
			c.ink.cut(token, option.Name+note, max(1, inner-2)))
	}
	about := cells.Wrap(cells.Clean(ask.Call.Title), inner)
	if ask.Call.Command != "" && ask.Call.Command != ask.Call.Title {
		about = append(about, cells.Wrap("$ "+ask.Call.Command, inner)...)
	}
	body := core.Map(about, func(line string) string { return c.ink.style(theme.Strong, line) })
	for i := range ask.Call.Diffs {
		body = append(body, c.ink.diff(&ask.Call.Diffs[i], inner, mostOutput)...)
	}
	if ask.Call.Output != "" {
		for _, line := range strings.Split(strings.TrimSpace(ask.Call.Output), "\n") {
			body = append(body, c.ink.cut(theme.Dim, cells.Clean(line), inner))
		}
	}
	if room := max(1, most-2-len(options)); len(body) > room {
		more := c.look.Glyphs().Ellipsis + " more than fits: ctrl+t and pgup show the call"
		body = append(body[:room-1:room-1], c.ink.style(theme.Warn, more))
	}
	title := "Allow this?"
	if n := len(c.asks); n > 1 {
		title = fmt.Sprintf("Allow this? 1 of %d", n)
	}
	body = append(body, options...)
	for i := range body {
		body[i] = " " + body[i]
	}
	box := layout.Rect{W: w, H: len(body) + 2}
	lines := widget.Box(c.look, box, widget.Frame{
		Title: widget.Styled(theme.Ask, title), Note: widget.Styled(theme.Dim, ask.Call.Kind), Focused: !c.typing,
	}, body)
	if !c.typing {
		lines[0] = c.look.Here() + lines[0]
	}
	return lines
}

// footer draws the keys that do something now, or a hint.
func (c *Chat) footer(r layout.Rect) []string {
	if c.hint != "" {
		return widget.Block(r, []string{c.ink.cut(theme.Warn, c.hint, r.W)})
	}
	bind := func(name, does string) key.Binding {
		return key.NewBinding(key.WithKeys(name), key.WithHelp(name, does))
	}
	var keys []key.Binding
	switch {
	case c.ask() != nil && !c.typing:
		keys = append(keys, bind("1-9", "answer"), bind("tab", "composer"), bind("esc", "interrupt"))
	case c.ask() != nil:
		keys = append(keys, bind("tab", "request"), bind("enter", "queue"), bind("esc", "interrupt"))
	case c.state.State == core.Working:
		keys = append(keys, bind("esc", "interrupt"), bind("enter", "queue"))
	default:
		keys = append(keys, bind("enter", "send"), bind("ctrl+j", "new line"))
	}
	return widget.Footer(c.look, r, append(keys, bind("shift+tab", "mode"), bind("ctrl+t", "details"),
		bind("ctrl+p", "history"), bind("pgup", "scroll"), bind("ctrl+c", "end")))
}
