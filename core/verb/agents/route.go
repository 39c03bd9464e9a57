package agents

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/record/store"
	"cupola/core/system/shell"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/health"
	"cupola/core/verb/registry"
)

type routeIn struct {
	registry.AnySession
	Type     []string `help:"Only agents of these kinds (claude or cc, codex or cod, ...)"`
	Strategy string   `default:"least-loaded" enum:"least-loaded,first-available,round-robin,sticky,random" help:"How to choose among the agents that can take a prompt"`
	registry.Excluded
}

type routeOut struct {
	Filters  verb.Filters `json:"filters,omitzero"`
	Strategy string       `json:"strategy"`
	// Address is the address of the agent that should take the next prompt.
	Address string    `json:"address,omitempty" names:"session"`
	Agent   string    `json:"agent,omitempty"`
	Kind    core.Kind `json:"kind,omitempty"`
	Why     string    `json:"why,omitempty"`
	// Candidates has one row per agent that was considered, the best first.
	Candidates []Candidate `json:"candidates"`
	// Command sends it the prompt that it reads from standard input.
	Command string `json:"command,omitempty" names:"command"`
}

// routeDetails is an answer without its methods: as details of a failure it is not shown to people.
type routeDetails routeOut

// Candidate is an agent that was considered.
type Candidate struct {
	_ struct{} `minimal:"session,ordinal,score" standard:"session,ordinal,agent,score,state,why"`
	_ struct{} `table:"PANE,AGENT,SCORE,STATE,WHY"`
	verb.PaneRow
	// Score is its fitness to take a prompt, from 0 to 100; 0 cannot.
	Score int `json:"score" table:"SCORE"`
	// IdleSeconds is how long it has had nothing to do.
	IdleSeconds verb.MaybeInt `json:"idle_s,omitzero"`
	// LastPromptAt is when it was sent a prompt last; absent if it never was.
	LastPromptAt time.Time `json:"last_prompt_at,omitzero"`
	Why          string    `json:"why,omitempty" table:"WHY,dim,flex"`
}

var route = registry.Define(registry.Spec[verb.OnFleet, routeIn, routeOut]{
	Name: "route", Group: verb.GroupAgents, Short: "Say which agent takes the next prompt",
	Long: "least-loaded picks the idle agent with the least against it, first-available the first idle one by " +
		"number, round-robin the one " +
		"prompted longest ago, sticky the one prompted last, random any idle one. Nothing is sent.",
	Scope: registry.Session, Effect: registry.Reads, List: "candidates",
	Deprecated: registry.Prefixed{Prefix: "route", Flags: []string{"exclude", "strategy", "type"}},
	Examples:   []string{"api", "api --strategy=round-robin"},
	Errors: append([]core.Code{core.NotReady, core.StoreError, core.StoreLocked, core.MigrationFailed},
		verb.Observing...),
	Run: runRoute,
}).SeeAlso("status", "attention")

func runRoute(ctx context.Context, deps verb.OnFleet, in routeIn) (routeOut, error) {
	target := verb.TargetOf(in.Session, registry.OfPanes{Type: in.Type}, false, in.Exclude).ForPrompts()
	snap, panes, err := deps.Chosen(ctx, target)
	if err != nil {
		return routeOut{}, err
	}
	out := routeOut{
		Filters:  verb.Filters{Session: in.Session, Type: verb.Asked(in.Type), Exclude: verb.Asked(in.Exclude)},
		Strategy: in.Strategy, Candidates: make([]Candidate, 0, len(panes)),
	}
	for _, pane := range panes {
		out.Candidates = append(out.Candidates, CandidateOf(pane, snap))
	}
	switch err := Prompted(ctx, deps, in.Session, out.Candidates); {
	case err == nil:
	case in.Strategy == "round-robin" || in.Strategy == "sticky":
		return out, err
	default:
		deps.Env.Warn("when each was prompted last is not known: " + core.AsError(err).Error())
	}
	Order(out.Candidates, in.Strategy)
	if len(out.Candidates) == 0 || out.Candidates[0].Score == 0 {
		return out, &core.Error{
			Code: core.NotReady, Message: "no agent can take a prompt now", Hint: "Wait until one is idle, or add one.",
			Details: routeDetails(out), Actions: []string{"cupola attention", "cupola status"},
		}
	}
	best := &out.Candidates[0]
	out.Address, out.Agent, out.Kind = best.Address(), best.Agent, best.Kind
	out.Why = in.Strategy + ": " + best.Why
	out.Command = shell.Line("cupola", "send", out.Address, "-")
	return out, nil
}

func (o routeOut) Next() []registry.Action {
	return []registry.Action{{
		Action: "send", Description: "Send it the prompt on standard input",
		Command: o.Command,
	}}
}

// CandidateOf scores an agent by what its state means for a prompt.
func CandidateOf(pane *core.Pane, snap *core.Snapshot) Candidate {
	s := pane.Status
	c := Candidate{PaneRow: verb.RowOf(pane), IdleSeconds: -1, Why: health.ConditionOf(pane).Why}
	switch {
	case s.State == core.Idle && !s.Has(core.NoteDraft):
		c.Score, c.IdleSeconds = 100, health.Lasted(s.Since, snap.Taken)
		if s.Has(core.NoteContextLow) {
			c.Score -= 30
		}
	case s.State == core.Working && !s.Has(core.NoteRetrying):
		c.Score, c.Why = 20, "it works, and would queue the prompt"
	}
	if c.Score > 0 && s.Has(core.NoteQueued) {
		c.Score -= 10
	}
	return c
}

// Prompted finds out when the candidates were sent a prompt last.
func Prompted(ctx context.Context, deps verb.OnFleet, session string, candidates []Candidate) error {
	on, err := verb.OnRecords{}.Open(ctx, deps.Env)
	if err != nil {
		return err
	}
	const far = 200
	name, _, _ := strings.Cut(session, ".")
	found, err := store.PromptsIn(on.Records).Find(ctx, store.PromptQuery{Server: on.Server, Session: name, Last: far})
	if err != nil {
		return err
	}
	for i := range candidates {
		c := &candidates[i]
		for j := range found.Prompts {
			p := &found.Prompts[j]
			to := slices.ContainsFunc(p.Deliveries,
				func(d core.Delivery) bool { return d.Session == c.Session && d.Pane == c.Pane })
			if to {
				c.LastPromptAt = p.At
				break
			}
		}
	}
	return nil
}

// Order puts the one to take first. Those that can take a prompt at once come
// before those that would queue it, whatever the strategy.
func Order(candidates []Candidate, strategy string) {
	if strategy == "random" {
		rand.Shuffle(len(candidates), func(i, j int) { candidates[i], candidates[j] = candidates[j], candidates[i] })
	}
	slices.SortStableFunc(candidates, func(a, b Candidate) int {
		if byState := cmp.Compare(Tier(b.Score), Tier(a.Score)); byState != 0 {
			return byState
		}
		switch strategy {
		case "first-available", "random":
			return 0
		case "round-robin":
			return cmp.Or(a.LastPromptAt.Compare(b.LastPromptAt), cmp.Compare(b.IdleSeconds, a.IdleSeconds))
		case "sticky":
			return cmp.Or(b.LastPromptAt.Compare(a.LastPromptAt), cmp.Compare(b.Score, a.Score))
		}
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.IdleSeconds, a.IdleSeconds))
	})
}

// Tier is 2 for those that can take a prompt at once, 1 for those that would
// queue it, 0 for the others.
func Tier(score int) int {
	const idle = 50
	switch {
	case score >= idle:
		return 2
	case score > 0:
		return 1
	}
	return 0
}

func (o routeOut) Report() *report.Report {
	r := report.Say(report.Toned(report.Strong, o.Address), report.Text(" "+o.Agent),
		report.Toned(report.Dim, "  "+o.Why))
	return r.AddRows("", o.Candidates, time.Time{})
}
