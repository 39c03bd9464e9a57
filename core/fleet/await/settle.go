package await

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"cupola/core"
)

// goal is the condition of a wait, and since when it applies.
type goal struct {
	Request
	began time.Time
}

// wants reports whether a status satisfies the goal.
func (g *goal) wants(p *awaited, status core.Status) bool {
	switch {
	case len(g.For) == 0:
		return true
	case slices.Contains(g.For, AnyChange) && p.changed:
		return true
	case slices.Contains(g.For, core.Done) && status.Shown() == core.Done:
		return true
	case slices.Contains(g.For, Quiet) && status.State == core.Idle && !status.Has(core.NoteBackground):
		return true
	}
	return slices.Contains(g.For, status.State)
}

// reached reports whether a pane satisfies the goal at a time.
func (g *goal) reached(p *awaited, now time.Time) bool {
	switch {
	case p.Gone:
		return slices.Contains(g.For, core.Exited) || slices.Contains(g.For, AnyChange)
	case p.draws(now) && !slices.Contains(g.For, AnyChange):
		return false
	case !g.wants(p, p.Status), g.Transition && len(g.For) > 0 && !p.left:
		return false
	case len(g.For) > 0 && p.Status.State == core.Idle && !slices.Contains(g.For, AnyChange):
		if p.idleSince.IsZero() || now.Before(g.counts(p)) || !p.known && p.checked.Before(p.idleSince.Add(idleHolds)) {
			return false
		}
	}
	return g.matches(p)
}

// counts returns from when on the idleness of a pane counts.
func (g *goal) counts(p *awaited) time.Time {
	return p.countsFrom(p.idleSince, p.left, g.began.Add(g.WorkWithin))
}

// fails returns from when on the error or limit of a pane counts.
func (g *goal) fails(p *awaited) time.Time {
	return p.countsFrom(p.failedSince, p.changed, g.began.Add(g.WorkWithin))
}

// countsFrom returns from when on a pane's rest counts. A rest from before its last prompt does not count until the
// agent starts on the prompt, as moved reports, or until begin.
func (p *awaited) countsFrom(rest time.Time, moved bool, begin time.Time) time.Time {
	at := rest.Add(idleHolds)
	switch {
	case p.reports:
		return rest.Add(reportHolds)
	case p.answered:
	case at.Before(p.unanswered):
		return p.unanswered
	case !moved && at.Before(begin):
		return begin
	}
	return at
}

// matches reports whether the text matches.
func (g *goal) matches(p *awaited) bool {
	if g.Match == nil {
		return true
	}
	at := g.Match.FindStringIndex(p.text)
	if at == nil {
		return false
	}
	begin := strings.LastIndexByte(p.text[:at[0]], '\n') + 1
	end := len(p.text)
	if next := strings.IndexByte(p.text[at[1]:], '\n'); next >= 0 {
		end = at[1] + next
	}
	p.Line = strings.TrimSpace(p.text[begin:end])
	return true
}

// settle reports whether the wait is over, or returns why it cannot succeed.
func (w *wait) settle(now time.Time) (done bool, err error) {
	if w.server.silent {
		return false, nil
	}
	reached, lost := 0, 0
	var pending []string
	for _, p := range w.panes {
		switch there := w.goal.reached(p, now); {
		case !there && !w.goal.Transition:
			p.Reached = time.Time{}
		case there && p.Reached.IsZero():
			p.Reached = now
		}
		if !p.Reached.IsZero() {
			reached++
			continue
		}
		pending = append(pending, p.address)
		if w.stuckReason(p, now) != "" {
			lost++
		}
	}
	if len(pending) > 0 {
		percent := reached * 100 / len(w.panes)
		w.goal.Progress.Report("wait", percent, "%d of %d %s; waiting for %s", reached, len(w.panes),
			w.wanted(), someOf(pending))
	}
	switch {
	case w.goal.Any && reached > 0, reached == len(w.panes):
		return true, nil
	case w.goal.Any && reached+lost == len(w.panes), !w.goal.Any && lost > 0,
		w.goal.ExitOnError && slices.ContainsFunc(w.panes, (*awaited).stuck):
		return true, w.stuckError()
	}
	return false, nil
}

// stuck reports whether a pane shows an error or a limit instead of the goal.
func (p *awaited) stuck() bool { return p.Reached.IsZero() && !p.failedSince.IsZero() }

// someOf names the first of some panes, and the number of others.
func someOf(addresses []string) string {
	const most = 5
	if len(addresses) <= most {
		return strings.Join(addresses, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(addresses[:most], ", "), len(addresses)-most)
}

// stuckReason returns why a pane cannot succeed by itself; empty if it may.
func (w *wait) stuckReason(p *awaited, now time.Time) string {
	switch state := p.Status.State; {
	case p.Gone:
		return "the pane is gone"
	case state == core.Exited:
		return "the agent has ended"
	case state == core.Waiting && p.draws(now):
	case state == core.Waiting && !w.goal.KeepWaiting:
		why := "it waits for " + p.Status.Reason.Awaited()
		if p.Status.Asks != "" {
			why += " (" + core.Excerpt(p.Status.Asks) + ")"
		}
		if words := core.SnoozedWords(p.snoozed, now); words != "" {
			why += ", and is " + words
		}
		return why
	case p.failedSince.IsZero() || w.goal.KeepWaiting:
	case w.goal.ExitOnError || !now.Before(w.goal.fails(p)):
		why := "it shows a limit"
		if state == core.Errored {
			why = "it shows an error"
		}
		if p.Status.Reason != "" {
			why += " (" + string(p.Status.Reason) + ")"
		}
		return why
	}
	return ""
}

// result splits the panes into those that succeeded and the others.
func (w *wait) result(elapsed time.Duration) *Result {
	result := &Result{Reached: []PaneResult{}, Pending: []PaneResult{}, Skipped: w.skipped, Elapsed: elapsed}
	for _, p := range w.panes {
		if p.Reached.IsZero() {
			result.Pending = append(result.Pending, p.PaneResult)
		} else {
			result.Reached = append(result.Reached, p.PaneResult)
		}
	}
	return result
}

// waitDetails are the details of an error.
type waitDetails struct {
	Needs   []waitNeed   `json:"needs"`
	Reached []PaneResult `json:"reached"`
	Pending []PaneResult `json:"pending"`
}

// waitNeed is a pane that does not continue by itself.
type waitNeed struct {
	core.PaneRef
	State  core.State  `json:"state"`
	Reason core.Reason `json:"reason"`
	Why    string      `json:"why"`
}

func (w *wait) details() waitDetails {
	result := w.result(0)
	details := waitDetails{Needs: []waitNeed{}, Reached: result.Reached, Pending: result.Pending}
	for _, p := range w.panes {
		if why := w.stuckReason(p, w.opts.Now()); why != "" && p.Reached.IsZero() {
			details.Needs = append(details.Needs,
				waitNeed{PaneRef: p.PaneRef, State: p.Status.State, Reason: p.Status.Reason, Why: why})
		}
	}
	return details
}

// stuckError returns an error about panes that do not continue by themselves; nil for none.
func (w *wait) stuckError() error {
	var all []string
	var first string
	for _, p := range w.panes {
		if why := w.stuckReason(p, w.opts.Now()); why != "" && p.Reached.IsZero() {
			all = append(all, fmt.Sprintf("%s: %s", p.address, why))
			if first == "" && !p.Gone {
				first = p.address
			}
		}
	}
	err := core.Errorf(core.NotReady, "%s", strings.Join(all, "; "))
	err.Details = w.details()
	if first != "" {
		err.Remedies = []core.Remedy{core.RemedyShowPane, core.RemedyListSessions}
		err.Subject.Panes = []string{first}
	}
	return err
}

// timeoutError reports panes that did not succeed in time.
func (w *wait) timeoutError(result *Result) error {
	pending := make([]string, 0, len(result.Pending))
	for _, p := range w.panes {
		if p.Reached.IsZero() {
			pending = append(pending, p.lacking(w))
		}
	}
	message := fmt.Sprintf("after %s %s", core.ShortDuration(w.goal.Timeout), strings.Join(pending, ", "))
	if w.server.silent {
		message += "; the terminal server is not answering"
	}
	err := core.Errorf(core.Timeout, "%s", message)
	err.Details = w.details()
	if len(result.Pending) > 0 {
		err.Remedies = []core.Remedy{core.RemedyShowPane, core.RemedyListSessions}
		err.Subject.Panes = []string{result.Pending[0].Address()}
	}
	return err
}

// lacking describes a pane that has not reached the goal.
func (p *awaited) lacking(w *wait) string {
	state := string(p.Status.State)
	switch {
	case !w.goal.wants(p, p.Status):
	case w.goal.Transition && len(w.goal.For) > 0 && !p.left:
		state = "still " + state
	case !w.goal.matches(p):
		state += " and shows no match"
	}
	if p.Status.Has(core.NoteBackground) {
		state += " and has commands in the background"
	}
	if p.Status.Has(core.NoteRetrying) {
		state += " and retries what failed"
	}
	return p.address + " is " + state
}

// wanted says in a word or two what the panes are to reach.
func (w *wait) wanted() string {
	words := core.Map(w.goal.For, func(state core.State) string {
		return strings.ReplaceAll(string(state), "-", " ")
	})
	if len(words) == 0 {
		return "matching"
	}
	return strings.Join(words, " or ")
}
