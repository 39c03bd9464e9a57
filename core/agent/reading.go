package agent

import (
	"slices"
	"strings"
	"sync"

	"cupola/core"
)

// Reading is one screen as parsed by the rules of one kind.
type Reading struct {
	kind     *Kind
	page     *page
	composer Composer
	found    bool
	narrow   *page  // what column returns, once it was asked for
	seen     []seen // what see found, by the numbers of the extents
	choices  func() (*choices, bool)
}

// Read parses the visible part of a screen by the rules of the kind. Its lines may be plain
// or contain escapes, and may be joined or as wide as the terminal.
func (k *Kind) Read(screen *core.Screen) *Reading {
	k.rulebook()
	r := &Reading{kind: k, page: newPage(screen)}
	r.choices = sync.OnceValues(func() (*choices, bool) { return readChoices(r.page) })
	c := k.reader.composer
	if c == nil {
		return r
	}
	// Without a frame and without a cursor, the choice of a dialog looks like a draft.
	if !c.Top.given() && !r.page.caret.known {
		if _, open := r.first(func(rule *Rule) bool { return rule.State == core.Waiting }); open {
			return r
		}
		r.seen = nil
	}
	r.composer, r.found = c.find(r.page)
	return r
}

// Composer is the input box of an agent.
type Composer struct {
	// Draft is the typed text as drawn: a long line takes several rows. A placeholder, and
	// a suggestion behind the cursor, are not part of it.
	Draft string
	// Collapsed is true where the draft shows a paste as a count.
	Collapsed bool
	// Top and Bottom are its first and last row, indices of the screen's Lines.
	Top, Bottom int

	frame frame // edges included
}

// column returns the page in the columns of the composer's frame, without a scrollbar.
// A frame that begins at the left edge has nothing else beside it.
func (r *Reading) column() *page {
	bar := r.kind.reader.composer
	if !r.found || r.composer.frame.left == 0 && (bar == nil || !bar.Scrollbar.given()) {
		return r.page
	}
	if r.narrow == nil {
		narrow := *r.page
		narrow.rows = make([]string, len(r.page.rows))
		for i, row := range r.page.rows {
			if r.composer.frame.left > 0 {
				row = r.composer.frame.cut(row)
			}
			narrow.rows[i] = bar.unscrolled(row)
		}
		r.narrow = &narrow
	}
	return r.narrow
}

// unscrolled is a row without the scrollbar at its end.
func (c *composerSpec) unscrolled(row string) string {
	if !c.Scrollbar.given() {
		return row
	}
	// It is the last word of the row: to look for it behind the text before that is far faster.
	text := strings.TrimRight(row[:strings.LastIndexByte(row, ' ')+1], " ")
	if from, to := c.Scrollbar.find(row[len(text):]); from >= 0 && len(text)+to == len(row) {
		return strings.TrimRight(row[:len(text)+from], " ")
	}
	return row
}

// Block is the rule that found an open dialog, in which Enter would answer, and its reason.
type Block struct {
	Reason core.Reason
	Match
}

// Composer returns the input box, if one is drawn and has the keyboard.
func (r *Reading) Composer() (Composer, bool) { return r.composer, r.found }

// Ready reports whether the agent can take a prompt: its composer is drawn and
// no dialog is open. A turn may be running. Kinds without rules are always
// ready.
func (r *Reading) Ready() bool {
	if !r.kind.Readable() {
		return true
	}
	_, blocked := r.Blocked()
	return r.found && !blocked
}

// Blocked returns the rule that found an open dialog, if there is one. A screen with
// neither a dialog nor a composer is neither blocked nor ready.
func (r *Reading) Blocked() (Block, bool) {
	m, ok := r.first(func(rule *Rule) bool { return rule.State == core.Waiting })
	if c, better := r.generalOver(m, ok); better {
		m, ok = c.match(r.page), true
	}
	if !ok {
		return Block{}, false
	}
	return Block{Reason: m.Rule.Reason, Match: m}, true
}

// general returns the dialog as it is read without the rules of the kind; there is none on a screen with a composer,
// and for a program that is no agent.
func (r *Reading) general() (*choices, bool) {
	if r.found || r.kind.ID == core.KindCommand {
		return nil, false
	}
	return r.choices()
}

// generalOver returns the dialog that was read without the rules of the kind, and reports whether it takes the place of
// m, the match of a rule: there is none (known is false), or it does not say what the dialog is for.
func (r *Reading) generalOver(m Match, known bool) (*choices, bool) {
	if known && m.Rule.Reason != core.ReasonDialog {
		return nil, false
	}
	c, found := r.general()
	return c, found && (!known || len(c.options) > 0 && c.reason != core.ReasonDialog)
}

// Busy says what the agent does with a prompt that is submitted while a turn runs.
func (r *Reading) Busy() Busy {
	if c := r.kind.reader.composer; c != nil && r.found {
		for _, row := range r.page.downward(r.composer.frame.bottom+1, c.Below) {
			if matchesAny(c.Steers, r.page.rows[row]) {
				return Steers
			}
		}
	}
	return r.kind.Typing.Busy
}

// Working returns the match that shows a running turn.
func (r *Reading) Working() (Match, bool) {
	return r.first(func(rule *Rule) bool { return rule.State == core.Working })
}

// Running returns the match that shows an unfinished turn: it runs, or has reached a limit
// and continues by itself when that ends.
func (r *Reading) Running() (Match, bool) {
	return r.first(func(rule *Rule) bool {
		return rule.State == core.Working || rule.State == core.Limited &&
			slices.Contains(rule.Notes, core.NoteRetrying)
	})
}

// Starting reports whether the screen says that the agent is still starting, even if its
// composer is drawn.
func (r *Reading) Starting() bool {
	_, starts := r.first(func(rule *Rule) bool { return rule.State == core.Starting })
	return starts
}

// Queued returns the match that shows a prompt waiting for the running turn to end.
func (r *Reading) Queued() (Match, bool) {
	return r.first(func(rule *Rule) bool {
		for _, note := range rule.Notes {
			if note == core.NoteQueued {
				return true
			}
		}
		return false
	})
}

// Matches returns every rule that matches, the highest priority first. A rule with Failure
// is included, with the state and reason that it derived, only if no other rule recognises
// the failure.
func (r *Reading) Matches() []Match {
	var matches []Match
	for i := range r.kind.reader.rules {
		if m, ok := r.kind.reader.rules[i].match(r); ok {
			matches = append(matches, m)
		}
	}
	at := slices.IndexFunc(matches, func(m Match) bool { return m.Rule.State == core.Waiting })
	var first Match
	if at >= 0 {
		first = matches[at]
	}
	if c, better := r.generalOver(first, at >= 0); better {
		matches = slices.Insert(matches, max(at, 0), c.match(r.page))
	}
	return r.withFailures(matches)
}

func (r *Reading) first(want func(*Rule) bool) (Match, bool) {
	for i := range r.kind.reader.rules {
		rule := &r.kind.reader.rules[i]
		if !want(rule.Rule) {
			continue
		}
		if m, ok := rule.match(r); ok {
			return m, true
		}
	}
	return Match{}, false
}
