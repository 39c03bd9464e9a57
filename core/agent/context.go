package agent

import (
	"regexp"
	"strconv"
	"strings"
)

// contextSpec says what a kind shows and is known of its context window.
type contextSpec struct {
	// Shown find what the screen says of it: the groups "used" or "left" are
	// percent, "tokens" is a count such as 1.5K. The last row that matches counts.
	Shown []*Pattern
	// Window are sizes by model; the first that matches is taken for an estimate.
	Window []windowSpec
}

// windowSpec is the size of the windows of models, in tokens.
type windowSpec struct {
	Model *Pattern
	Size  int
}

// ContextShown is the use of the context window as an agent's screen shows it.
type ContextShown struct {
	// Percent is the used share of the window; -1 where only tokens are shown.
	Percent int
	// Tokens is the number used; 0 where only a percentage is shown.
	Tokens int
	// Line is the text with these figures.
	Line string
}

// contextAbove is how many rows above the composer may speak of the context
// window; higher rows are the conversation.
const contextAbove = 4

// ContextShown returns what the screen shows about the context window, around the composer
// or at the end of the screen.
func (r *Reading) ContextShown() (ContextShown, bool) {
	rows := r.page.rows
	first := len(rows) - 2*contextAbove
	if r.found {
		first = r.composer.Top - r.page.offset - 1 - contextAbove
	}
	for i := len(rows) - 1; i >= max(0, first); i-- {
		for _, p := range r.kind.screen.context.Shown {
			if at := p.submatch(rows[i]); at != nil {
				return shownIn(p.regexp(), at), true
			}
		}
	}
	return ContextShown{}, false
}

func shownIn(re *regexp.Regexp, at []string) ContextShown {
	group := func(name string) string {
		if i := re.SubexpIndex(name); i >= 0 {
			return at[i]
		}
		return ""
	}
	shown := ContextShown{Percent: -1, Line: strings.TrimSpace(at[0]), Tokens: count(group("tokens"))}
	if n, err := strconv.Atoi(group("used")); err == nil {
		shown.Percent = n
	} else if n, err := strconv.Atoi(group("left")); err == nil {
		shown.Percent = 100 - min(n, 100)
	}
	return shown
}

// count reads a number of tokens: 850, 1.5K, 1.2M; 0 for anything else.
func count(text string) int {
	unit := 1.0
	switch strings.ToUpper(text[max(0, len(text)-1):]) {
	case "K":
		unit = 1e3
	case "M":
		unit = 1e6
	}
	n, err := strconv.ParseFloat(strings.TrimRight(strings.ReplaceAll(text, ",", ""), "KkMm"), 64)
	if err != nil || n < 0 || n > 1e9 {
		return 0
	}
	return int(n * unit)
}

// Window returns the size of a model's context window in tokens; 0 if it is not known for
// the kind.
func (k *Kind) Window(model string) int {
	k.rulebook()
	for _, w := range k.screen.context.Window {
		if w.Model.MatchString(model) {
			return w.Size
		}
	}
	return 0
}
