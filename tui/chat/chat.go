package chat

import (
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core/agent/acp"
	"cupola/core/agent/acp/desk"
	"cupola/theme"
	"cupola/tui/layout"
	"cupola/tui/widget"
)

// Acts are the acts on the conversation. They return at once.
type Acts interface {
	// Prompt sends or queues a prompt.
	Prompt(text string) error
	// Cancel interrupts the turn. It returns false if none runs.
	Cancel() bool
	// Answer answers a request with one of its options.
	Answer(key, option string) bool
	// Withdraw removes the prompts that wait, and returns them.
	Withdraw() []string
	// Set sets a setting. The outcome comes as an event or a notice.
	Set(setting, value string)
}

// Chat is the state of the screen. Its methods must not be called concurrently.
type Chat struct {
	look *theme.Theme
	ink  ink
	name string
	acts Acts
	now  func() time.Time

	items []item
	// calls has the index of the item of each tool call.
	calls    map[string]int
	plan     []acp.Step
	asks     []*acp.Ask
	settings []acp.Setting
	commands []acp.Command
	queue    []string
	state    desk.State

	composer *widget.Editor
	scroll   widget.Scroll
	cache    *widget.Cache
	// drawn is the width that the conversation was laid out for; 0 if it changed.
	drawn int
	// typing is true while keys go to the composer though a request waits.
	typing  bool
	history []string
	at      int
	// quitting is true after the first of two keys that end the program.
	quitting bool
	hint     string
}

// what an item is.
type sort int

const (
	user sort = iota
	agent
	thought
	call
	notice
	failure
)

// item is a part of the conversation.
type item struct {
	sort    sort
	text    string
	message string
	call    acp.Call
	// lines are the laid out lines for a width.
	lines []string
	width int
}

// New returns the screen of a conversation that begins.
func New(look *theme.Theme, name string, acts Acts, now func() time.Time) *Chat {
	return &Chat{
		look: look, ink: ink{look: look}, name: name, acts: acts, now: now, calls: map[string]int{},
		scroll: widget.Scroll{Marked: -1}, cache: widget.NewCache(),
		composer: widget.NewArea("Type a prompt", ""),
	}
}

// State takes the state of the conversation.
func (c *Chat) State(state desk.State) { c.state = state }

// mostItems is how many items are kept; the oldest are forgotten.
const mostItems = 5000

// Take shows an event.
func (c *Chat) Take(e *acp.Event) {
	switch e.Type {
	case acp.Opened, acp.Moded:
		c.settings = e.Settings
	case acp.Queued:
		c.queue = append(c.queue, e.Text)
	case acp.Sent:
		if len(c.queue) > 0 && c.queue[0] == e.Text {
			c.queue = c.queue[1:]
		}
		c.add(item{sort: user, text: e.Text})
	case acp.Said:
		c.piece(agent, e)
	case acp.Thought:
		c.piece(thought, e)
	case acp.Asked:
		if e.Replayed {
			c.piece(user, e)
		}
	case acp.Called:
		c.called(e.Call)
	case acp.Permission:
		c.typing = c.typing || len(c.asks) == 0 && c.composer.Text() != ""
		c.asks = append(c.asks, e.Ask)
	case acp.Settled:
		c.asks = slices.DeleteFunc(c.asks, func(a *acp.Ask) bool { return a.Key == e.Ask.Key })
		c.typing = c.typing && len(c.asks) > 0
	case acp.Planned:
		c.plan = e.Plan
	case acp.Commanded:
		c.commands = e.Commands
	case acp.Notice:
		c.add(item{sort: notice, text: e.Text})
	case acp.Ended:
		c.ended(e)
	case acp.Gone:
		c.asks = nil
		c.add(item{sort: failure, text: e.Err.Text})
	}
}

// ended says how a turn ended, if not as usual.
func (c *Chat) ended(e *acp.Event) {
	switch {
	case e.Stop == acp.Lost:
	case e.Err != nil:
		c.add(item{sort: failure, text: e.Err.Text})
	case e.Stop == acp.Cancelled:
		c.add(item{sort: notice, text: "interrupted"})
	case e.Stop != acp.EndTurn:
		c.add(item{sort: notice, text: "ended: " + strings.ReplaceAll(string(e.Stop), "_", " ")})
	}
}

// add adds an item.
func (c *Chat) add(it item) {
	c.drawn = 0
	c.items = append(c.items, it)
	if over := len(c.items) - mostItems; over > mostItems/10 {
		c.items = slices.Delete(c.items, 0, over)
		for id, i := range c.calls {
			if c.calls[id] = i - over; i < over {
				delete(c.calls, id)
			}
		}
	}
}

// mostText bounds the text of an item, in bytes.
const mostText = 1 << 20

// piece adds a piece to the last message, or begins one.
func (c *Chat) piece(of sort, e *acp.Event) {
	if n := len(c.items) - 1; n >= 0 && c.items[n].sort == of && c.items[n].message == e.Message {
		if len(c.items[n].text) < mostText {
			c.items[n].text += e.Text
			c.items[n].width, c.drawn = 0, 0
		}
		return
	}
	c.add(item{sort: of, text: e.Text, message: e.Message})
}

// called shows a tool call, or what changed of it.
func (c *Chat) called(one *acp.Call) {
	i, known := c.calls[one.ID]
	if !known {
		c.add(item{sort: call, call: *one})
		c.calls[one.ID] = len(c.items) - 1
		return
	}
	c.items[i].call, c.items[i].width, c.drawn = *one, 0, 0
}

// ask is the request that waits; nil if none does.
func (c *Chat) ask() *acp.Ask {
	if len(c.asks) == 0 {
		return nil
	}
	return c.asks[0]
}

// Press applies a key. It returns true if the program is to end.
func (c *Chat) Press(key tea.KeyMsg) (ends bool) {
	quitting := c.quitting
	c.quitting, c.hint = false, ""
	if ask := c.ask(); ask != nil && !c.typing && c.answers(ask, key) {
		return false
	}
	switch key.String() {
	case "ctrl+c":
		if c.composer.Text() != "" {
			c.composer.Replace("")
			return false
		}
		c.quitting, c.hint = true, "ctrl+c again ends the agent"
		return quitting
	case "esc":
		c.interrupt()
	case "tab":
		if c.ask() != nil {
			c.typing = !c.typing
		} else {
			c.complete()
		}
	case "shift+tab":
		c.nextMode()
	case "ctrl+t":
		c.ink.details, c.drawn = !c.ink.details, 0
		for i := range c.items {
			c.items[i].width = 0
		}
	case "pgup", "pgdown":
		_, shown := c.scroll.Rows()
		c.scroll.Move(map[string]int{"pgup": -1, "pgdown": 1}[key.String()] * max(1, shown-2))
	case "enter":
		c.send()
	case "ctrl+p", "ctrl+n":
		c.recall(map[string]int{"ctrl+p": -1, "ctrl+n": 1}[key.String()])
	default:
		c.composer.Press(key)
	}
	return false
}

// answers answers a request by a digit. It reports whether the key was one for the request.
func (c *Chat) answers(ask *acp.Ask, key tea.KeyMsg) bool {
	word := key.String()
	if len(word) == 1 && word[0] >= '1' && int(word[0]-'1') < len(ask.Options) {
		c.acts.Answer(ask.Key, ask.Options[word[0]-'1'].ID)
		return true
	}
	// No other letter and no Enter may be taken for an answer, nor get lost in the composer below.
	return word == "enter" || key.Type == tea.KeyRunes
}

// interrupt stops the turn, or takes back what waits.
func (c *Chat) interrupt() {
	if c.acts.Cancel() {
		c.hint = "interrupting"
		return
	}
	if back := c.acts.Withdraw(); len(back) > 0 {
		c.composer.Replace(strings.Join(append(back, c.composer.Text()), "\n"))
		c.queue = nil
	}
}

// send sends what was typed.
func (c *Chat) send() {
	text := strings.TrimSpace(c.composer.Text())
	if text == "" {
		return
	}
	if err := c.acts.Prompt(text); err != nil {
		c.hint = err.Error()
		return
	}
	c.history = append(c.history, text)
	c.at = len(c.history)
	c.composer.Replace("")
	c.scroll.Top = 1 << 30
}

// recall puts an earlier prompt into the composer.
func (c *Chat) recall(by int) {
	c.at = max(0, min(len(c.history), c.at+by))
	text := ""
	if c.at < len(c.history) {
		text = c.history[c.at]
	}
	c.composer.Replace(text)
}

// complete completes a slash command as far as those that fit agree.
func (c *Chat) complete() {
	text := c.composer.Text()
	if !strings.HasPrefix(text, "/") || strings.ContainsAny(text, " \n") {
		return
	}
	var fits []string
	for _, command := range c.commands {
		if strings.HasPrefix(command.Name, text[1:]) {
			fits = append(fits, command.Name)
		}
	}
	if len(fits) == 0 {
		c.hint = "no command begins so"
		return
	}
	common := fits[0]
	for _, name := range fits[1:] {
		for !strings.HasPrefix(name, common) {
			common = common[:len(common)-1]
		}
	}
	if len(fits) == 1 {
		common += " "
	} else {
		c.hint = "/" + strings.Join(fits, " /")
	}
	c.composer.Replace("/" + strings.ToValidUTF8(common, ""))
}

// nextMode sets the mode that follows the present one.
func (c *Chat) nextMode() {
	for i := range c.settings {
		s := &c.settings[i]
		if s.Category != acp.ModeSetting || len(s.Values) == 0 {
			continue
		}
		at := slices.IndexFunc(s.Values, func(v acp.Choice) bool { return v.ID == s.Value })
		next := s.Values[(at+1)%len(s.Values)]
		c.hint = "mode " + next.Name
		c.acts.Set(acp.ModeSetting, next.ID)
		return
	}
	c.hint = "the agent has no modes"
}

// Paste puts a text into the composer.
func (c *Chat) Paste(text string) {
	c.composer.Press(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text), Paste: true})
}

// Wheel scrolls the conversation by rows.
func (c *Chat) Wheel(by int) { c.scroll.Move(by) }

// Draw draws the screen into a rectangle, exactly.
func (c *Chat) Draw(r layout.Rect) []string {
	if r.Empty() {
		return nil
	}
	head, rest := r.Top(1)
	rest, foot := rest.Bottom(1)
	typed := strings.Count(c.composer.Text(), "\n") + 1
	rest, editor := rest.Bottom(min(max(1, typed), max(1, r.H/4)))
	rest, rule := rest.Bottom(1)
	waits := c.waiting(rest)
	rest, below := rest.Bottom(len(waits))
	lines := c.header(head)
	lines = append(lines, c.conversation(rest)...)
	lines = append(lines, widget.Block(below, waits)...)
	lines = append(lines, widget.Rule(c.look, rule.W, rule.H)...)
	mark := layout.Rect{W: min(2, editor.W), H: editor.H}
	area := layout.Rect{W: editor.W - mark.W, H: editor.H}
	marks := widget.Block(mark, []string{c.ink.style(theme.Accent, c.look.Glyphs().Chosen+" ")})
	for i, line := range c.composer.Draw(c.look, area, c.ask() == nil || c.typing) {
		lines = append(lines, marks[i]+line)
	}
	return append(lines, c.footer(foot)...)
}
