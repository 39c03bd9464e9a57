package checkpoints

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/observe"
	"cupola/core/run"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/core/verb/sessions"
)

// restoreRan starts again what ran until its terminal server ended.
func restoreRan(ctx context.Context, deps verb.OnFleet, in RestoreIn) (RestoreOut, error) {
	out := RestoreOut{DryRun: in.DryRun, Panes: []restoredPane{}, Trees: []restoredTree{}}
	if in.Forget {
		err := forgetRan(ctx, deps, &in, &out)
		return out, err
	}
	moved, err := in.moved()
	if err != nil {
		return out, err
	}
	request := lifecycle.ReviveRequest{
		Only: in.Only, Moved: moved, Fresh: in.Fresh, WaitReady: in.WaitReady, Timeout: in.Timeout, DryRun: in.DryRun,
	}
	if err := askToRevive(ctx, deps, in, request); err != nil {
		return out, err
	}
	revived, err := sessions.Revive(ctx, deps.Env, deps.Fleet, request)
	for i := range revived {
		out.addRevived(&revived[i])
	}
	if len(revived) > 0 && deps.Env.Runs != nil {
		out.Interrupted = interrupted(deps.Env)
	}
	return out, err
}

// mostRuns is how many interrupted runs an answer names.
const mostRuns = 10

// interrupted returns the newest runs that were interrupted and can be resumed. Their panes alone do not
// resume them: their work has to be started again, too.
func interrupted(env *verb.Env) (found []interruptedRun) {
	kinds := slices.DeleteFunc(run.Kinds(), func(kind run.Kind) bool { return kind == run.Relay })
	rows, _, err := env.Runs.List(run.Filter{
		Kinds: kinds, States: []run.State{run.Interrupted}, Limit: mostRuns, Uncounted: true,
	})
	if err != nil {
		env.Log.Warn("list interrupted runs", "error", err)
	}
	for i := range rows {
		found = append(found, interruptedRun{Head: rows[i].Head})
	}
	return found
}

// askToRevive asks a person, who sees the list of what would be started. A program that calls has decided.
func askToRevive(ctx context.Context, deps verb.OnFleet, in RestoreIn, request lifecycle.ReviveRequest) error {
	if in.Yes || in.DryRun || deps.Env.Confirm == nil {
		return nil
	}
	request.DryRun = true
	revived, err := sessions.Revive(ctx, deps.Env, deps.Fleet, request)
	if err != nil {
		return err
	}
	out := RestoreOut{DryRun: true}
	for i := range revived {
		out.addRevived(&revived[i])
	}
	if len(out.Panes) == 0 {
		return nil // the answer says why
	}
	may := verb.Permission{Verb: "restore", In: in, Shows: out.listOfRan()}
	return may.Ask(deps.Env.Who(), fmt.Sprintf("Start %s again?", verb.Plural(len(out.Panes), "pane")))
}

// listOfRan lists what would be started, and what would not, in lines.
func (o RestoreOut) listOfRan() string {
	var lines strings.Builder
	for i := range o.Panes {
		p := &o.Panes[i]
		fmt.Fprintf(&lines, "%s  %s in %s", p.Address(), cmp.Or(p.Agent, "a shell"), p.Dir)
		if p.Lost != "" {
			fmt.Fprintf(&lines, "; begins a new session: %s", p.Lost)
		}
		lines.WriteByte('\n')
	}
	for i := range o.Left {
		fmt.Fprintf(&lines, "%s  is left: %s\n", o.Left[i].Address(), o.Left[i].Why)
	}
	return lines.String()
}

// addRevived adds the result of one session.
func (o *RestoreOut) addRevived(r *lifecycle.Revived) {
	if r.Seen.After(o.At) {
		o.At = r.Seen
	}
	if r.Launches != nil {
		before := len(o.Panes)
		o.fill(r.Launches, false)
		for i := before; i < len(o.Panes); i++ {
			o.Panes[i].Lost = r.Lost[o.Panes[i].Agent]
		}
	}
	for i := range r.Unanswered {
		prompt := &r.Unanswered[i]
		o.Unanswered = append(o.Unanswered, unansweredRow{
			PaneRow: rowLeft(prompt.PaneRef), ID: prompt.ID, SentAt: prompt.Sent, Text: prompt.Text,
			Began: prompt.Started,
		})
	}
	o.Session, o.ID, o.Dir = "", "", ""
	for _, left := range r.Left {
		o.Left = append(o.Left, leftPane{PaneRow: rowLeft(left.PaneRef), Dir: left.Dir, Why: left.Why})
	}
}

// rowLeft returns the row of a pane that does not run.
func rowLeft(ref core.PaneRef) verb.PaneRow {
	status := observe.Undecided("it was not started")
	return verb.RowAt(ref, &status)
}

// forgetRan takes sessions off the record of what ran.
func forgetRan(ctx context.Context, deps verb.OnFleet, in *RestoreIn, out *RestoreOut) error {
	seen, err := deps.Fleet.Observer.Outline(ctx, observe.View{})
	if err != nil {
		return err
	}
	ran, err := lifecycle.ChosenOf(deps.Fleet.Dir.Ran(ctx, seen.Snapshot), in.Only)
	if err != nil {
		return err
	}
	for i := range ran {
		for j := range ran[i].Panes {
			pane := &ran[i].Panes[j]
			ref := core.PaneRef{
				Session: ran[i].Name, Ordinal: pane.Ordinal, Agent: pane.Agent.Name, Kind: pane.Agent.Kind,
			}
			why := "it is off the record"
			if ran[i].There {
				why = "its pane is there: end that"
			}
			out.Left = append(out.Left, leftPane{PaneRow: rowLeft(ref), Dir: pane.Dir, Why: why})
		}
		if !in.DryRun && !ran[i].There {
			deps.Fleet.Dir.Restored(ctx, &ran[i])
		}
	}
	return nil
}

const nothingRan = "No session is on record that ran until its terminal server ended."

// hintsOfRan are the hints of an answer about what ran.
func (o RestoreOut) hintsOfRan(did string) *registry.Hints {
	if len(o.Panes)+len(o.Left) == 0 {
		return &registry.Hints{Summary: nothingRan}
	}
	h := &registry.Hints{Summary: fmt.Sprintf("%s %s", did, verb.Plural(len(o.Panes), "pane"))}
	if n := len(o.Left); n > 0 {
		h.Summary += fmt.Sprintf(", left %d", n)
	}
	for i := range o.Panes {
		if p := &o.Panes[i]; p.Lost != "" {
			h.Warnings = append(h.Warnings, fmt.Sprintf("%s begins a new session: %s", p.Address(), p.Lost))
		}
	}
	for i := range o.Left {
		left := &o.Left[i]
		h.Warnings = append(h.Warnings, fmt.Sprintf("%s was not started: %s", left.Address(), left.Why))
	}
	if n := len(o.Interrupted); n > 0 {
		h.Summary += fmt.Sprintf("; %s can be resumed", verb.Plural(n, "run"))
	}
	if n := len(o.Unanswered); n > 0 {
		h.Summary += fmt.Sprintf("; %s can be sent again", verb.Plural(n, "prompt"))
	}
	return h
}

// reportOfRan shows what ran for people.
func (o RestoreOut) reportOfRan() *report.Report {
	if len(o.Panes)+len(o.Left) == 0 {
		return report.Say(report.Text(nothingRan))
	}
	did := verb.Done(o.DryRun, "Restored ", "Would restore ")
	r := report.Say(did, report.Toned(report.Strong, verb.Plural(len(o.Panes), "pane")))
	if len(o.Panes) > 0 {
		r.AddTable("", report.TableOf(o.Panes, time.Time{}, "no panes"))
	}
	if len(o.Left) > 0 {
		r.AddTable("", report.TableOf(o.Left, time.Time{}, ""))
	}
	if len(o.Unanswered) > 0 {
		r.AddTable("Not answered", report.TableOf(o.Unanswered, time.Time{}, ""))
	}
	for i := range o.Unanswered {
		if row := &o.Unanswered[i]; row.ID != "" && !o.DryRun {
			r.Next = append(r.Next, verb.Tip("send it again to "+row.Agent, "replay", row.Address(), "--id="+row.ID))
		}
	}
	for i := range o.Interrupted {
		one := &o.Interrupted[i]
		r.Next = append(r.Next, verb.Tip(fmt.Sprintf("resume the %s %q", one.Kind, cmp.Or(one.Title, one.ID)),
			"run-resume", one.ID))
	}
	return r
}
