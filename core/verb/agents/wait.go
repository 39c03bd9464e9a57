package agents

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/fleet/await"
	"cupola/core/fleet/resolve"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/health"
	"cupola/core/verb/registry"
)

type waitIn struct {
	registry.AnySession
	For []string `enum:"idle,done,quiet,waiting,working,limited,error,starting,exited,unknown,any-change" help:"States to wait for, separated by commas (default: idle, or none with --match)"`
	registry.OfPanes
	registry.TeamMembers
	Any         bool          `help:"End when the first agent is there instead of the last"`
	Transition  bool          `help:"Count agents that are there already only after they have been in another state"`
	ExitOnError bool          `help:"Fail as soon as any agent shows an error or a limit, also with --any"`
	KeepWaiting bool          `help:"Keep waiting while an agent needs you, or shows an error or a limit"`
	Match       string        `help:"Regular expression that the agent's screen must match"`
	Timeout     time.Duration `default:"5m" help:"How long to wait (90s, 5m; a bare number is seconds); 0 never gives up"`
	Poll        time.Duration `help:"Look this often instead of following changes"`
}

// EndsWithFirst reports whether the agents of one host are enough, where several are asked.
func (in waitIn) EndsWithFirst() bool { return in.Any }

type waitOut struct {
	Filters verb.Filters `json:"filters,omitzero"`
	// For are the states that were waited for.
	For []string `json:"for"`
	waitedFor
}

// waitedFor is the result of a wait.
type waitedFor struct {
	// Panes has one row per pane.
	Panes   []waitRow `json:"panes"`
	Reached int       `json:"reached_count"`
	Pending int       `json:"pending_count"`
	// Skipped are the panes beside them that run a command of the user's own and were
	// not named, so they were not waited for.
	Skipped []verb.PaneRow `json:"skipped" minimal:"session,ordinal"`
	// WaitedSeconds is how long the wait took.
	WaitedSeconds float64 `json:"waited_s"`
	// Needs are the agents that need the user, with the command that helps.
	Needs []waitNeed `json:"needs"`
}

// waitRow is one pane that was waited for.
type waitRow struct {
	_ struct{} `minimal:"session,ordinal,reached" standard:"session,ordinal,agent,reached,state,reason"`
	_ struct{} `table:"PANE,AGENT,STATE,REACHED,WAS"`
	verb.PaneRow
	Reached bool `json:"reached" table:"REACHED,word,empty=not yet"`
	// From is the state at the beginning.
	From core.State `json:"from,omitempty" table:"WAS,dim"`
	// ReachedAt is when it got there; absent if it did not.
	ReachedAt time.Time `json:"reached_at,omitzero"`
	// Line is the text that matched; absent without --match.
	Line string `json:"line,omitempty"`
	// Gone is true if the pane was closed during the wait.
	Gone bool `json:"gone"`
}

// waitNeed is an agent that does not continue without the user.
type waitNeed struct {
	_ struct{} `minimal:"session,ordinal,asks,command"`
	verb.PaneRow
	// Asks is the subject of its question; absent where no dialog is open.
	Asks    string `json:"asks,omitempty"`
	Command string `json:"command,omitempty" names:"command"`
}

// says what the agent needs, in a line.
func (n *waitNeed) says() string {
	return n.Address() + " needs you: " + cmp.Or(n.Asks, string(n.Reason), string(n.State))
}

var wait = registry.Define(registry.Spec[verb.OnFleet, waitIn, waitOut]{
	Name: "wait", Group: verb.GroupAgents, Short: "Wait until agents are idle, or in a state",
	Long: "Ends when all agents have reached such a state or, with --any, when the first has. An agent that needs " +
		"you ends it with NOT_READY, unless --keep-waiting is given or its state is among those waited for. Idle " +
		"also means that nothing is queued or being retried, that no sub-agent works, and that the last prompt " +
		"which the agent took is on its own record and dealt with or, without a record, was seen to be worked on. " +
		"Done is idle after a turn not looked at yet. " +
		"Quiet is idle with no command of the agent's running in the background either. " +
		"Panes that hold no agent are waited for only where they are named; with no agent to wait for it fails.",
	Scope: registry.Session, Effect: registry.Reads, Level: registry.Answers, OnTerminals: true, List: "panes",
	Deprecated: registry.Prefixed{
		Prefix: "wait",
		Flags:  []string{"any", "exit-on-error", "panes", "poll", "timeout", "transition", "type"},
	},
	Examples: []string{"api --for=idle --timeout=1m", "api --for=waiting,idle,error --any --timeout=1m"},
	Errors:   append([]core.Code{core.NotReady, core.Timeout, core.IOError}, verb.Observing...), Run: runWait,
}).SeeAlso("reply", "tail")

func (o waitOut) Next() []registry.Action {
	return afterWaiting(&o.waitedFor)
}

// pattern returns the pattern that a screen must match; nil if none is required.
func (in *waitIn) pattern() (*regexp.Regexp, error) {
	if in.Match == "" {
		return nil, nil //nolint:nilnil // no pattern is no error
	}
	match, err := regexp.Compile(in.Match)
	if err != nil {
		return nil, &core.Error{
			Code: core.InvalidInput, Message: "--match: " + err.Error(),
			Hint: "Give a regular expression in Go's syntax.", Err: err,
		}
	}
	return match, nil
}

func runWait(ctx context.Context, deps verb.OnFleet, in waitIn) (waitOut, error) {
	target := verb.WithTeam(verb.TargetOf(in.Session, in.OfPanes, false, nil), in.TeamMembers)
	request := await.Request{
		Target: deps.Acting(ctx, target, false),
		Any:    in.Any, Transition: in.Transition,
		ExitOnError: in.ExitOnError, KeepWaiting: in.KeepWaiting, Timeout: in.Timeout, Poll: in.Poll,
		Progress: deps.Env.Progress,
	}
	out := waitOut{Filters: verb.Echo(request.Target), For: in.For}
	match, err := in.pattern()
	if err != nil {
		return out, err
	}
	if request.Match = match; match == nil && len(in.For) == 0 {
		out.For = []string{string(core.Idle)}
	}
	request.For = core.Map(out.For, func(state string) core.State { return core.State(state) })
	if match == nil && slices.Equal(out.For, []string{string(core.Idle)}) {
		warnUnreadableIn(ctx, deps, request.Target, in.Timeout)
	}
	result, err := deps.Fleet.Waiter.Wait(ctx, request)
	if result != nil {
		out.fill(result)
		if already := result.Already(); err == nil && in.Any && len(already) > 0 && !in.Transition {
			deps.Env.Warn(verb.SomeOf(verb.Addresses(already)) +
				" was there from the beginning, and others are not: with --transition it waits for the first that " +
				"gets there again")
		}
	}
	more := in
	more.Timeout = longer(err, in.Timeout)
	err = out.ended(err, out, func([]string) []string { return []string{deps.Env.Catalog.Find("wait").Command(more)} })
	return out, err
}

func (o *waitedFor) fill(result *await.Result) {
	o.WaitedSeconds = float64(result.Elapsed.Milliseconds()) / 1000
	o.Reached, o.Pending = len(result.Reached), len(result.Pending)
	o.Skipped = append(o.Skipped, verb.RowsOf(result.Skipped)...)
	for _, pane := range result.Reached {
		o.add(&pane, true)
	}
	for _, pane := range result.Pending {
		o.add(&pane, false)
	}
}

// add adds the outcome of one pane.
func (o *waitedFor) add(pane *await.PaneResult, reached bool) {
	o.Panes = append(o.Panes, waited(pane, reached))
	seen := &core.Pane{
		Session: pane.Session, Ordinal: pane.Ordinal,
		Agent: core.Agent{Name: pane.Agent, Kind: pane.Kind}, Status: pane.Status,
	}
	if seen.NeedsUser() && !pane.Gone {
		o.Needs = append(o.Needs, waitNeed{
			PaneRow: verb.RowAt(pane.PaneRef, &pane.Status), Asks: pane.Status.Asks,
			Command: health.ConditionOf(seen).Command,
		})
	}
}

func waited(pane *await.PaneResult, reached bool) waitRow {
	return waitRow{
		PaneRow: verb.RowAt(pane.PaneRef, &pane.Status), Reached: reached, From: pane.From.State,
		ReachedAt: pane.Reached, Line: pane.Line, Gone: pane.Gone,
	}
}

// Report shows how far each pane came, also with a failure.
func (o waitOut) Report() *report.Report { return o.shown(&report.Report{}) }

// shown adds to a report how far each pane came.
func (o *waitedFor) shown(r *report.Report) *report.Report {
	r.AddTable("", report.TableOf(o.Panes, time.Time{}, "no agent to wait for"))
	if len(o.Panes) > 0 {
		line := fmt.Sprintf("after %.1f s", o.WaitedSeconds)
		if len(o.Skipped) > 0 {
			addresses := core.Map(o.Skipped, func(row verb.PaneRow) string { return row.Address() })
			line += ", without " + strings.Join(addresses, ", ") +
				": a command is waited for only where it is named"
		}
		r.AddLine(report.Toned(report.Dim, line))
	}
	for _, need := range o.Needs {
		r.Next = append(r.Next, report.Tip{Command: need.Command, Does: need.says()})
	}
	return r
}

// Check sees that what was given can be read.
func (in waitIn) Check() error {
	_, err := in.pattern()
	return err
}

// Cell shows a closed pane and one that does not exist yet in different words.
func (r *waitRow) Cell(title string) (report.Cell, bool) {
	if title == "REACHED" && r.Gone {
		return report.Toned(report.Bad, "closed"), true
	}
	return r.PaneRow.Cell(title)
}

// warnUnreadable warns at once of panes whose program has no rules, and says when a wait for idle ends for them.
func warnUnreadable(env *verb.Env, panes []core.PaneRef, kinds []core.Kind, timeout time.Duration) {
	known := env.Kinds()
	var blind []core.PaneRef
	for i, pane := range panes {
		if kind, ok := known.Find(string(kinds[i])); !ok || !kind.Readable() {
			blind = append(blind, pane)
		}
	}
	if len(blind) == 0 {
		return
	}
	ends := "it waits until --timeout, after " + timeout.String()
	if timeout <= 0 {
		ends = "it waits for ever: give --timeout"
	}
	message := verb.SomeOf(verb.Addresses(blind)) + ": no rules are known for this program. It is idle once it says " +
		"so itself, ends, or shows a bare prompt; while its screen only does not change, its state is unknown, " +
		"and " + ends +
		". Wait for words of its own with 'wait --match', or teach it once: cupola kind-record NAME " +
		blind[0].Address()
	env.Warn(message)
	if env.Progress != nil {
		env.Progress(core.Progress{Phase: "wait", Percent: -1, Message: message})
	}
}

// warnUnreadableIn is warnUnreadable for the panes of a target.
func warnUnreadableIn(ctx context.Context, deps verb.OnFleet, target resolve.Target, timeout time.Duration) {
	_, panes, err := deps.Chosen(ctx, target)
	if err != nil {
		return // the wait says why
	}
	refs, kinds := make([]core.PaneRef, len(panes)), make([]core.Kind, len(panes))
	for i, pane := range panes {
		refs[i], kinds[i] = pane.Ref(), pane.Agent.Kind
	}
	warnUnreadable(deps.Env, refs, kinds, timeout)
}
