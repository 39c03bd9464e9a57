package conversation

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/transcript"
	"cupola/core/engine"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/terminal"
)

// repliesBehind is how many lines that scrolled off are read for a reply.
const repliesBehind = 2000

// readHistory captures more lines of the panes whose reply comes from the screen and whose program keeps its
// words in the terminal's history. A screen that changed meanwhile is left as it was, so that it belongs to
// the observed state.
func (r *Reader) readHistory(ctx context.Context, found []Conversation) error {
	var asks []engine.Ask
	for i := range found {
		c := &found[i]
		if c.screen != nil && !c.sure() && r.opts.Observer.HasHistory(c.Pane) && !c.screen.Screen.View.AlternateOn {
			asks = append(asks, engine.Ask{Pane: c.Pane.ID, History: repliesBehind})
		}
	}
	if len(asks) == 0 {
		return nil
	}
	screens, err := r.opts.Engine.Capture(ctx, asks...)
	if err != nil {
		return err
	}
	longer := core.ScreensByPane(screens)
	for i := range found {
		c, more := &found[i], longer[found[i].Pane.ID]
		if more == nil || c.screen == nil ||
			!slices.Equal(more.Lines[len(more.Lines)-more.Visible:], c.screen.Screen.Lines) {
			continue
		}
		c.screen.Screen = more
		if c.screen.Reading != nil {
			c.screen.Reading = c.Kind.Read(more)
		}
	}
	return nil
}

// fromScreen fills a reply with the last turn on the screen; text is all of it. why says what the agent's
// record lacks.
func (c *Conversation) fromScreen(reply Reply, text, why string, asked PromptsOf) Reply {
	turns, known := c.turns()
	marked, prompts := known, asked(c.Pane, c.Pane.Agent.Started)
	if !known {
		if len(prompts) > 0 {
			turns, known = c.since(prompts[0].Text)
		} else {
			known = c.screen.Reading != nil && c.Kind.Fresh(c.screen.Screen)
		}
	}
	if !known {
		reply.Text, reply.Source, reply.Why = text, FromScreen, why+", so this is the text of its screen"
		return reply
	}
	switch {
	case len(turns) == 0 && c.ended():
		reply.Why = why + ", and its screen shows nothing of what it said"
		return reply
	case len(turns) == 0:
		reply.Why = "it has said nothing yet"
		return reply
	}
	last := turns[len(turns)-1]
	shown := last
	if last.Message == "" && len(turns) > 1 {
		shown = turns[len(turns)-2]
	}
	reply.Text, reply.Prompt, reply.Why = shown.Message, shown.Prompt, unfinishedReason(&c.Pane.Status)
	switch {
	case shown.Message == "":
	case len(prompts) > 0 && shown == last && c.precedes(&last, &prompts[0]):
		reply.Why = joined(reply.Why, "the last prompt is not on its screen yet: this is its message before that")
	case shown.Prompt == "":
		reply.Why = joined(reply.Why, "its beginning is not on the screen")
	case !marked && c.screen.Reading != nil:
		reply.Why = joined(reply.Why, "its screen does not separate its last message from the rest of the turn")
	}
	switch {
	case shown.Message == "":
		reply.Why = joined(reply.Why, "it has said nothing in answer to the last prompt")
	case shown != last:
		reply.Why = joined(reply.Why,
			"it has said nothing in answer to the last prompt: this is its message of the turn before")
	}
	if reply.Text != "" {
		reply.Source = FromScreen
	}
	reply.Complete = reply.Why == ""
	return reply
}

// precedes reports whether the agent shows that a turn comes before its last prompt: the turn begins with another
// prompt, which is visible in full.
func (c *Conversation) precedes(turn *agent.Turn, last *core.TakenPrompt) bool {
	first, _, _ := strings.Cut(turn.Prompt, "\n")
	return turn.Prompt != "" && c.Keeps(last.Text) && !c.collapsed(first) &&
		!transcript.Tells(turn.Prompt, last.Text) && !transcript.Tells(last.Text, turn.Prompt)
}

func joined(why, more string) string {
	if why == "" {
		return more
	}
	return why + ", and " + more
}

// unfinishedReason says why a turn known only by its state may not have ended well; empty if it has.
func unfinishedReason(status *core.Status) string {
	switch status.State {
	case core.Idle:
		if status.Has(core.NoteInterrupted) {
			return "the turn was interrupted"
		}
		return ""
	case core.Errored, core.Limited:
		return "the turn failed"
	case core.Unknown:
		return "it is not known whether the turn has ended"
	case core.Exited:
		return "the agent has ended, and it is not known whether its turn had"
	}
	return "the turn has not ended"
}

// turns returns the turns on the screen; ok is false for kinds that do not mark them.
func (c *Conversation) turns() ([]agent.Turn, bool) {
	if c.screen == nil || c.screen.Reading == nil {
		return nil, false
	}
	return c.Kind.Turns(c.screen.Screen)
}

// echoSign matches the sign before a prompt in the row in which a program echoes it.
var echoSign = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*[│┃|]?\s*[\w@~./:()\[\] -]{0,60}?(>{1,3}|[❯›»⟩λ$%#]) `)
})

// since returns the turn that a prompt began; ok is false where the screen does not show it.
func (c *Conversation) since(prompt string) ([]agent.Turn, bool) {
	rows := c.words()
	want := agent.Squeeze(prompt)
	known := false
	for i := len(rows) - 1; i >= 0 && want != ""; i-- {
		for _, sign := range []string{echoSign().FindString(rows[i]), ""} {
			end := echoed(rows, i, len(sign), want)
			if end < 0 && sign != "" && c.collapsed(rows[i][len(sign):]) {
				end = i + 1
			}
			if end < 0 {
				continue
			}
			known = true
			if message := below(rows[end:], sign); message != "" || strings.TrimSpace(sign) != "" {
				return []agent.Turn{{Prompt: prompt, Message: message}}, true
			}
			// The terminal echoes what is typed, and the program may say the same.
			break
		}
	}
	return []agent.Turn{{Prompt: prompt}}, known
}

// shownAt returns where the screen of a pane shows some prompts, as Place.Shown of package transcript does. For a kind
// whose turns are marked, only the last prompt on the screen counts.
func (r *Reader) shownAt(ctx context.Context, seen *observe.Observation, pane *core.Pane, prompts []string) []int {
	at := make([]int, len(prompts))
	c := r.drawnBy(ctx, seen, pane)
	turns, marked := c.turns()
	rows := c.words()
	for i, prompt := range prompts {
		switch at[i] = -1; {
		case marked && len(turns) > 0 && transcript.Tells(prompt, turns[len(turns)-1].Prompt):
			at[i] = len(turns)
		case !marked:
			at[i] = echoRow(rows, prompt)
		}
	}
	return at
}

// wordsOf returns the words above the composer of a pane, as Place.Screen of package transcript does.
func (r *Reader) wordsOf(ctx context.Context, seen *observe.Observation, pane *core.Pane) (
	words string, composed bool,
) {
	c := r.drawnBy(ctx, seen, pane)
	if c.screen == nil || c.screen.Reading == nil {
		return "", false
	}
	_, composed = c.screen.Reading.Composer()
	return c.shown(), composed
}

// drawnBy returns what is known of an agent by its screen alone.
func (r *Reader) drawnBy(ctx context.Context, seen *observe.Observation, pane *core.Pane) *Conversation {
	screen := seen.Screen(pane.ID)
	if screen == nil {
		if screens, err := r.opts.Engine.Capture(ctx, engine.Ask{Pane: pane.ID}); err == nil {
			screen = core.ScreensByPane(screens)[pane.ID]
		}
	}
	c := &Conversation{Pane: pane, Kind: r.opts.Observer.KindOf(pane)}
	if screen != nil {
		c.setScreen(screen)
	}
	return c
}

// setScreen sets the screen, and what the rules of the kind read on it.
func (c *Conversation) setScreen(screen *core.Screen) {
	c.screen = &terminal.Capture{Screen: screen}
	if c.Kind != nil && c.Kind.Readable() {
		c.screen.Reading = c.Kind.Read(screen)
	}
}

// echoRow returns the last row in which a program echoes a prompt; a negative number without one.
func echoRow(rows []string, prompt string) int {
	want := agent.Squeeze(prompt)
	for i := len(rows) - 1; i >= 0 && want != ""; i-- {
		if echoed(rows, i, len(echoSign().FindString(rows[i])), want) >= 0 || echoed(rows, i, 0, want) >= 0 {
			return i
		}
	}
	return -1
}

// collapsed reports whether a row is a placeholder that the agent's program shows for a long prompt.
func (c *Conversation) collapsed(row string) bool {
	return c.screen.Reading != nil && c.Kind.Collapsed(row)
}

// echoed returns where a text ends that begins in a row after its first bytes; -1 if another text is there.
func echoed(rows []string, first, from int, want string) int {
	got := agent.Squeeze(rows[first][from:])
	for end := first + 1; got != "" && strings.HasPrefix(want, got); end++ {
		if got == want {
			return end
		}
		if end == len(rows) {
			break
		}
		got += agent.Squeeze(rows[end])
	}
	return -1
}

// below returns the rows below a prompt, without the sign that waits for the next one.
func below(rows []string, sign string) string {
	text := strings.Trim(strings.Join(rows, "\n"), "\n")
	if sign = strings.TrimSpace(sign); sign != "" {
		if rest, waits := strings.CutSuffix(text, sign); waits && (rest == "" || strings.HasSuffix(rest, "\n")) {
			text = strings.TrimRight(rest, "\n")
		}
	}
	return text
}

// words are the rows of the screen, history included, that are the agent's own.
func (c *Conversation) words() []string {
	if c.screen == nil {
		return nil
	}
	var spoken []bool
	if c.screen.Reading != nil {
		spoken = c.screen.Reading.Spoken()
	}
	rows := make([]string, 0, len(c.screen.Screen.Lines))
	for i, line := range c.screen.Screen.Lines {
		if row, says := c.replyLine(line); says && (i >= len(spoken) || spoken[i]) {
			rows = append(rows, row)
		}
	}
	return rows
}
