package agent

import (
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"cupola/core"
	"cupola/core/term/cells"
)

// turnSpec says how a kind draws a conversation. Without a Prompt it says nothing.
type turnSpec struct {
	// Prompt is the first row of a submitted prompt, with its text as the only group.
	Prompt *Pattern
	// Message begins what the agent says; the rows below that are indented as far
	// belong to it, as those of a prompt do.
	Message *Pattern
	// Aside are rows that only look like a message.
	Aside []*Pattern
	// Queued is right below a prompt that was not taken up yet.
	Queued *Pattern
	// Edge is at the right end of rows and is no part of them.
	Edge *Pattern
	// Chrome are rows that are the program's interface and no part of what was said.
	Chrome []*Pattern
}

func (t *turnSpec) check(src source) error {
	key := toml.Key{"turn", "prompt"}
	err := src.checkPatterns(t, "turn")
	switch {
	case err != nil || !t.Prompt.given():
		return err
	case t.Prompt.regexp().NumSubexp() != 1:
		return src.errorf(key, "%q needs one group, for the text", t.Prompt.Expr)
	case !t.Message.given():
		return src.errorf(key, "needs message beside it")
	}
	return nil
}

// Turn is a prompt and its answer, as a screen shows them.
type Turn struct {
	// Prompt is the prompt of the turn; empty if it is not on the screen.
	Prompt string
	// Message is the agent's last message in the turn; empty if there is none.
	Message string
}

// Turns returns the turns that begin or end on a screen, history included, the oldest
// first. It returns false if the screen does not mark where turns begin.
func (k *Kind) Turns(screen *core.Screen) ([]Turn, bool) {
	reading := k.Read(screen)
	rules := &k.screen.turn
	if !rules.Prompt.given() {
		return nil, false
	}
	rows := rules.rows(reading, screen)
	fresh := k.VersionOn(screen) != ""
	var turns []Turn
	end := len(rows)
	for i := len(rows) - 1; i >= 0; i-- {
		if rules.asks(rows, i) {
			turns = append(turns, rules.turn(rows[i:end]))
			end = i
		}
	}
	// The rows above the first prompt are a program's greeting, or the end of a turn.
	if end := rules.said(rows[:end]); end != "" && !fresh {
		turns = append(turns, Turn{Message: end})
	}
	slices.Reverse(turns)
	return turns, fresh || len(turns) > 0
}

// rows are all rows above the composer.
func (t *turnSpec) rows(reading *Reading, screen *core.Screen) []string {
	lines := screen.Lines
	if reading.found {
		lines = lines[:max(0, min(reading.composer.Top, len(lines)))]
	}
	rows := make([]string, len(lines))
	for i, line := range lines {
		rows[i] = reading.Beside(clean(line))
		if t.Edge.given() {
			rows[i] = t.Edge.regexp().ReplaceAllString(rows[i], "")
		}
		rows[i] = strings.TrimRight(rows[i], " ")
	}
	return rows
}

// asks reports whether a prompt begins with a row that the agent has taken up.
func (t *turnSpec) asks(rows []string, i int) bool {
	waits := t.Queued.given() && i+1 < len(rows) && t.Queued.MatchString(rows[i+1])
	return t.Prompt.MatchString(rows[i]) && !waits
}

// Words returns the agent's output in a row above the composer, without what the program
// draws at the end of the row. It returns false if the row is only interface. The row must
// not contain escapes.
func (k *Kind) Words(row string) (string, bool) {
	k.rulebook()
	rules := &k.screen.turn
	if rules.Edge.given() {
		row = rules.Edge.regexp().ReplaceAllString(row, "")
	}
	row = strings.TrimRight(row, " \t")
	return row, !matchesAny(rules.Chrome, row)
}

// turn reads the rows of a turn, from its prompt on.
func (t *turnSpec) turn(rows []string) Turn {
	at := t.Prompt.regexp().FindStringSubmatchIndex(rows[0])
	asked := []string{rows[0][at[2]:at[3]]}
	indent := strings.Repeat(" ", cells.Width(rows[0][:at[2]]))
	for rows = rows[1:]; len(rows) > 0 && strings.HasPrefix(rows[0], indent); rows = rows[1:] {
		asked = append(asked, rows[0][len(indent):])
	}
	return Turn{Prompt: strings.TrimSpace(strings.Join(asked, "\n")), Message: t.said(rows)}
}

// said is the last message in some rows.
func (t *turnSpec) said(rows []string) string {
	for i := len(rows) - 1; i >= 0; i-- {
		mark := t.Message.regexp().FindString(rows[i])
		if mark == "" || matchesAny(t.Aside, rows[i]) {
			continue
		}
		lines := []string{rows[i][len(mark):]}
		indent := strings.Repeat(" ", cells.Width(mark))
		for _, row := range rows[i+1:] {
			line, hangs := strings.CutPrefix(row, indent)
			if row != "" && !hangs {
				break
			}
			if !matchesAny(t.Chrome, row) {
				lines = append(lines, line)
			}
		}
		return strings.TrimRight(strings.Join(lines, "\n"), "\n")
	}
	return ""
}

// asked is the row of a prompt, as most programs repeat it above their composer.
var asked = compiled(`^\s*[│┃]?\s*[❯›>] \S`)

// Fresh reports whether a screen shows the program as it just started: with its banner
// above the composer, and no prompt yet.
func (k *Kind) Fresh(screen *core.Screen) bool {
	composer, found := k.Read(screen).Composer()
	if !found {
		return false
	}
	above := *screen
	above.Lines = screen.Lines[:max(0, min(composer.Top, len(screen.Lines)))]
	return k.VersionOn(&above) != "" &&
		!slices.ContainsFunc(above.Lines, func(line string) bool { return asked().MatchString(clean(line)) })
}
