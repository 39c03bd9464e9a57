package history

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type digestIn struct {
	sinceWhen
	Changes       bool `help:"Also list the changes themselves: states, prompts, answers, files, commits, alerts"`
	registry.Page `default:"limit=100"`
}

type digestOut struct {
	reach
	Session string `json:"session,omitempty" names:"session"`
	// Totals is the sum of the sessions. A prompt to several counts once; what no agent
	// can be credited with in a folder that several share counts here alone.
	Totals workCounts `json:"totals"`
	// Sessions has one row per session that exists or has records.
	Sessions []sessionWork `json:"sessions"`
	// Agents has one row per agent, with a sentence.
	Agents []agentWork `json:"agents"`
	verb.Paged
	// Changes are the changes themselves with --changes, a page of each list.
	Changes *changes `json:"changes,omitempty"`

	at   time.Time
	kept bool
	// asked is since when people wanted to know.
	asked string
}

// workCounts counts what was done.
type workCounts struct {
	StateChanges  int `json:"state_changes"`
	Prompts       int `json:"prompts"`
	PromptsFailed int `json:"prompts_failed"`
	// Answers counts the dialogs that were answered through Cupola.
	Answers        int `json:"answers"`
	Files          int `json:"files"`
	Commits        int `json:"commits"`
	AlertsRaised   int `json:"alerts_raised"`
	AlertsResolved int `json:"alerts_resolved"`
}

// sessionWork is the work of one session.
type sessionWork struct {
	_       struct{} `minimal:"name,agent_count,prompts,commits"`
	Session string   `json:"name"`
	// Open is false for a session that is not there any more.
	Open   bool `json:"is_open"`
	Agents int  `json:"agent_count"`
	workCounts
}

// agentWork is the work of one agent.
type agentWork struct {
	_       struct{} `minimal:"address,sentence" standard:"address,agent,state,prompts,files,commits,sentence"`
	Session string   `json:"session" names:"session"`
	Address string   `json:"address" names:"session"`
	Agent   string   `json:"agent,omitempty"`
	// State and Reason are the present ones; absent if the agent is gone.
	State  core.State  `json:"state,omitempty"`
	Reason core.Reason `json:"reason,omitempty"`
	workCounts
	// Turns is how often it began to work, other than after an answer; the times are in
	// seconds. Where events may be missing, these three are the least that is known.
	Turns    verb.MaybeInt    `json:"turns,omitzero"`
	WorkingS verb.MaybeNumber `json:"working_s,omitzero"`
	WaitingS verb.MaybeNumber `json:"waiting_s,omitzero"`
	// Sentence says it in words.
	Sentence string `json:"sentence"`

	// whole is true if all that it did is on record.
	whole bool
}

var digest = registry.Define(registry.Spec[verb.OnRecords, digestIn, digestOut]{
	Name: "summary", Group: verb.GroupSee,
	Short: "Say what each agent did since a time",
	Long: "One sentence for each agent since a time or revision. " +
		"Read from the records and from git. Events are recorded only while a " +
		"dashboard, a watch or another long-lived Cupola runs; if some may be missing, complete is false.",
	Scope: registry.Global, Effect: registry.Reads, List: "agents",
	Deprecated: registry.Prefixed{Prefix: "summary", Flags: []string{"since"}},
	Examples:   []string{"", "--session=api --since=24h", "--changes --limit=20"},
	Errors:     lookingBack, Run: runDigest,
}).SeeAlso("files", "history")

func runDigest(ctx context.Context, deps verb.OnRecords, in digestIn) (digestOut, error) {
	h, err := happenedSince(ctx, deps, in.sinceWhen)
	if err != nil {
		return digestOut{}, err
	}
	c := newTally(h)
	out := digestOut{
		reach: h.reach(), Session: in.Session, at: h.to, kept: h.kept, asked: in.Since.String(), Totals: c.total,
	}
	for _, name := range c.sessionNames {
		out.Sessions = append(out.Sessions, *c.sessions[name])
	}
	for _, address := range c.addresses {
		a := c.agents[address]
		a.Sentence = a.sentence(a.whole)
		if !a.whole {
			a.admit()
		}
		out.Agents = append(out.Agents, *a)
	}
	out.Agents, out.Paged = verb.Cut(out.Agents, in.Page)
	if in.Changes {
		listed := h.changes(in.Page)
		out.Changes = &listed
	}
	return out, nil
}

// Next suggests to look at the changes, and how to have all of them on record.
func (o digestOut) Next() []registry.Action {
	words := []string{"summary", "--changes", "--since=" + o.asked}
	if o.Session != "" {
		words = append(words, "--session="+o.Session)
	}
	var actions []registry.Action
	if o.Changes == nil {
		actions = append(actions, verb.NextAction("changes", "List the changes themselves", words...))
	}
	if !o.kept {
		actions = append(actions,
			verb.NextAction("watch", "Keep this running, so that states and how long they last are on record", "watch"))
	}
	return actions
}

// admit says of what may have happened unseen that it is not known.
func (a *agentWork) admit() {
	if a.Turns == 0 {
		a.Turns = -1
	}
	if a.WorkingS == 0 {
		a.WorkingS = -1
	}
	if a.WaitingS == 0 {
		a.WaitingS = -1
	}
}

// sentence says in words what an agent did, or where events may be missing, at
// least did.
func (a *agentWork) sentence(complete bool) string {
	least := ""
	if !complete {
		least = "at least "
	}
	var parts []string
	if a.Prompts > 0 {
		part := "took " + verb.Plural(a.Prompts-a.PromptsFailed, "prompt")
		if a.PromptsFailed > 0 {
			part += fmt.Sprintf(" (%d more not delivered)", a.PromptsFailed)
		}
		parts = append(parts, part)
	}
	if a.Answers > 0 {
		parts = append(parts, "was answered "+times(a.Answers))
	}
	if a.WorkingS >= 1 {
		part := "worked " + least + lasting(float64(a.WorkingS))
		if a.Turns > 0 {
			part += " in " + verb.Plural(int(a.Turns), "turn")
		}
		parts = append(parts, part)
	}
	if a.WaitingS >= 1 {
		parts = append(parts, "waited "+least+lasting(float64(a.WaitingS))+" for you")
	}
	if a.Files > 0 {
		parts = append(parts, "changed "+verb.Plural(a.Files, "file"))
	}
	if a.Commits > 0 {
		parts = append(parts, "made "+verb.Plural(a.Commits, "commit"))
	}
	if a.AlertsRaised > 0 {
		parts = append(parts, "raised "+least+verb.Plural(a.AlertsRaised, "alert"))
	}
	text := cmp.Or(a.Agent, a.Address) + " did nothing that is on record"
	if n := len(parts); n > 1 {
		text = cmp.Or(a.Agent, a.Address) + " " + strings.Join(parts[:n-1], ", ") + " and " + parts[n-1]
	} else if n == 1 {
		text = cmp.Or(a.Agent, a.Address) + " " + parts[0]
	}
	switch {
	case a.State == "":
		return text + "; it is gone."
	case a.Reason != "":
		return text + "; it is " + string(a.State) + " (" + string(a.Reason) + ") now."
	}
	return text + "; it is " + string(a.State) + " now."
}

// times says how often.
func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return verb.Plural(n, "time")
}

// lasting is a time in seconds as people say it.
func lasting(seconds float64) string {
	start := time.Time{}.Add(time.Second)
	return report.Age(start, start.Add(time.Duration(seconds*float64(time.Second))))
}

func (o digestOut) Report() *report.Report {
	r := (&report.Report{}).Add(o.shown())
	t := o.Totals
	r.AddLine(report.Text(fmt.Sprintf("%s (%d failed), %s, %s, %s, %s raised and %d resolved",
		verb.Plural(t.Prompts, "prompt"), t.PromptsFailed, verb.Plural(t.Answers, "answer"),
		verb.Plural(t.Files, "file"), verb.Plural(t.Commits, "commit"), verb.Plural(t.AlertsRaised, "alert"),
		t.AlertsResolved)))
	block := report.Block{}
	for _, a := range o.Agents {
		block.Lines = append(block.Lines,
			report.Line{report.Toned(report.Strong, a.Address+"  "), report.Text(a.Sentence)})
	}
	if len(block.Lines) == 0 {
		block.Lines = []report.Line{{report.Toned(report.Dim, "no agents")}}
	}
	r.Add(block)
	if o.Changes != nil {
		return o.Changes.show(r, o.at)
	}
	return r
}
