package stories

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"cupola/core"
	"cupola/core/run/story"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// RunOut is a run of stories.
type RunOut struct {
	*story.Run
	StoriesDone  int  `json:"stories_done"`
	StoriesTotal int  `json:"stories_total"`
	Background   bool `json:"background,omitempty"`
	DryRun       bool `json:"dry_run"`

	shown bool
	// carried is true if this call carried the run, which had cost before dollars until then.
	carried bool
	before  float64
}

// Spent returns the cost of this call in dollars; it is not known for a call that only shows the run.
func (o RunOut) Spent() (usd float64, known bool) {
	if o.Run == nil || !o.carried {
		return 0, false
	}
	return verb.Rounded(max(0, o.CostUSD-o.before), 4), o.CostKnown
}

func (o RunOut) counted() RunOut {
	if o.Run != nil {
		o.StoriesDone, o.StoriesTotal = o.Counts()
		o.CostUSD = verb.Rounded(o.CostUSD, 4)
	}
	return o
}

// Began is the id of a run in the background; empty for others.
func (o RunOut) Began() string {
	if !o.Background {
		return ""
	}
	return o.ID
}

// Said says in a line what the run does, or what its branch has once it has ended.
func (o RunOut) Said() string {
	switch {
	case o.Run == nil:
		return ""
	case o.Background || !o.State.Ended():
		return "the run " + o.ID + " works in the background on " + o.Name
	case o.Squash:
		return "the branch " + o.Branch + " has one commit"
	}
	return "the branch " + o.Branch + " keeps one commit a story"
}

// failure is the error of a run that needs the user.
func failure(out RunOut) error {
	if out.State != story.Failed {
		return nil
	}
	code := out.ErrorCode
	switch out.Reason {
	case story.TimeLimit:
		code = core.Timeout
	case story.Budget:
		code = core.BudgetExceeded
	case story.Conflicted:
		code = core.Conflict
	}
	e := core.Errorf(
		cmp.Or(code, core.HealthFailed),
		"the run %s needs you (%s): %s",
		out.ID,
		out.Reason,
		out.Error,
	)
	e.Hint = "Look at " + out.Worktree + ". A resumed run verifies the work there first, and then tries again."
	if _, err := os.Stat(out.Worktree); err != nil {
		e.Hint = "Begin anew with --new; what was done is on the branch " + out.Branch + ", if that is still there."
	}
	e.Details, e.Remedies, e.Subject.Run = out, []core.Remedy{core.RemedyShowRun, core.RemedyResumeRun}, out.ID
	return e
}

// Next says how to follow the run, or what to do with what it made.
func (o RunOut) Next() []registry.Action {
	switch {
	case o.DryRun || o.Run == nil:
		return nil
	case !o.State.Ended() || o.Background:
		return []registry.Action{
			verb.NextAction("wait", "Wait until it ends", "story-wait", o.ID),
			verb.NextAction("logs", "See what happens", "story-logs", o.ID, "--follow"),
			verb.NextAction("stop", "Stop it", "story-stop", o.ID),
		}
	case o.State == story.Completed:
		return []registry.Action{
			verb.NextAction("diff", "See what it changed", "worktree-diff", o.TreeName()),
			verb.NextAction("merge", "Merge the branch into yours", "worktree-merge", o.TreeName(), "--dry-run"),
		}
	}
	return []registry.Action{
		verb.NextAction("resume", "Continue where it ended", "story-resume", o.ID),
		verb.NextAction("logs", "See what happened", "story-logs", o.ID),
	}
}

// Lead leaves the hint of a failure as it is.
func (o RunOut) Lead() string { return "" }

// Report shows a run to a person.
func (o RunOut) Report() *report.Report {
	r := &report.Report{}
	switch {
	case o.Run == nil:
		return r
	case o.Background:
		r.AddLine(report.Text("The run "), report.Toned(report.Strong, o.ID), report.Text(" works in the background."))
		return r
	case !o.shown:
		o.reportFacts(r)
		r.AddTable("Stories", report.TableOf(o.Stories, o.Started, ""))
	}
	if !o.DryRun && o.State.Ended() {
		o.reportEnd(r)
	}
	return r
}

func (o RunOut) reportFacts(r *report.Report) {
	id, state := o.ID, strings.TrimSpace(string(o.State)+" "+string(o.Reason))
	if o.DryRun {
		id, state = "", ""
	}
	r.AddFacts(9, [][2]string{
		{"Run", id},
		{"Change", o.Name},
		{"State", state},
		{"Agent", strings.TrimSpace(o.Backend + " " + o.Model)},
		{"Stage", strings.TrimSpace(o.Stage + " " + o.Session + o.Sandbox)},
		{"Branch", o.Branch},
		{"Worktree", o.Worktree},
		{"Proof", o.proof()},
		{"Set-up", strings.Join(o.Setup, "; ")},
		{"Limits", fmt.Sprintf("%d retries, %d tries in all, %s, %s a try, $%.2f, %d at once", o.Limits.MaxRetries,
			o.Limits.MaxIterations, core.ShortDuration(o.Limits.TimeLimit), core.ShortDuration(o.Limits.TryTimeout),
			o.Limits.BudgetUSD, o.Limits.Parallel)},
	}...)
}

// proof says which commands prove a story, and who named them.
func (o RunOut) proof() string {
	if len(o.Verify) == 0 {
		return "ticked tasks alone"
	}
	from := map[story.VerifyFrom]string{
		story.FromGuess: " (guessed from the project)", story.FromSettings: " (settings)",
	}
	return strings.Join(o.Verify, "; ") + from[o.VerifyFrom]
}

func (o RunOut) reportEnd(r *report.Report) {
	r.AddLine(report.Text(fmt.Sprintf("%d of %d stories are done after %d tries  |  %.1fs  |  Cost: %s  |  %s %s",
		o.StoriesDone, o.StoriesTotal, o.Iterations, float64(o.ElapsedMS)/1000,
		verb.CostText(o.CostUSD, o.CostKnown), o.State, o.Reason)))
	if o.State == story.Completed {
		r.Next = append(r.Next,
			report.Tip{Command: "cupola worktree diff " + o.TreeName(), Does: "shows what it changed"},
			report.Tip{Command: "cupola worktree merge " + o.TreeName(), Does: "merges the branch into yours"})
	}
}
