package agents

import (
	"context"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/fleet/await"
	"cupola/core/fleet/output"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// TailIn is the input of the verb tail.
type TailIn struct {
	registry.InSession
	Lines int `flag:"lines,n" min:"0" max:"100000" default:"50" help:"Lines from the bottom; 0 is the whole screen"`
	registry.OfPanes
	registry.UserPanes
	ANSI      bool          `flag:"ansi" help:"Keep colours as escape sequences"`
	StripUI   bool          `flag:"strip-ui" help:"Leave out the agent's input box and other decoration"`
	SinceMark []string      `help:"Only what was added since these marks of an earlier answer"`
	Follow    bool          `help:"Stream new lines as they come, without the agents' own decoration"`
	Timeout   time.Duration `help:"End --follow after this long; 0 is never"`
}

// TailOut is the answer of the verb tail.
type TailOut struct {
	Session string       `json:"session,omitempty" names:"session"`
	Filters verb.Filters `json:"filters,omitzero"`
	// Panes has one row per pane; none after --follow.
	Panes []tailRow `json:"panes"`
	// Marks are the places where the panes' words end now, in the order of Panes, for
	// --since-mark.
	Marks []string `json:"marks"`
	// Reason is the reason why a --follow ended: timeout, closed or interrupted. Lines counts what it
	// streamed.
	Reason string `json:"reason,omitempty"`
	Lines  *int   `json:"line_count,omitempty"`
}

// tailRow is the text of one pane.
type tailRow struct {
	_ struct{} `minimal:"session,ordinal,complete,lines"`
	_ struct{} `standard:"session,ordinal,agent,state,source,complete,lines"`
	verb.PaneRow
	output.Shown
}

var tail = registry.Define(registry.Spec[verb.OnFleet, TailIn, TailOut]{
	Name: "tail", Group: verb.GroupAgents, Short: "Show the last lines of an agent's pane",
	Aliases: []string{"logs", "pane tail", "agent tail", "session tail", "session logs", "log show"},
	Long: "Each answer has a mark for every pane; --since-mark=MARK returns only what was added since, however the " +
		"screen was scrolled or redrawn. --follow streams new lines once they are complete, and ends with a line of " +
		"type end that has new marks. The screen is shown as it is, without blank lines at its end; --strip-ui " +
		"leaves only the agent's words, which is less to read.",
	Scope: registry.Session, Effect: registry.Reads, OnTerminals: true, List: "panes",
	Examples: []string{"api --lines=20", "api --panes=1", "api.1 --strip-ui", "api --follow --timeout=1s"},
	Errors:   append([]core.Code{core.IOError}, verb.Observing...),
	Run:      runTail,
	Stream:   registry.Stream[verb.OnFleet, TailIn, TailOut]{Line: tailLine{}, Run: followTail},
}).SeeAlso("reply", "health")

// Streaming reports whether the answer is to continue.
func (in TailIn) Streaming() bool { return in.Follow }

func runTail(ctx context.Context, deps verb.OnFleet, in TailIn) (TailOut, error) {
	target := verb.TargetOf(in.Session, in.OfPanes, in.All, nil)
	tails, err := deps.Fleet.Output.Tail(ctx,
		output.Request{Target: target, Lines: in.Lines, Escapes: in.ANSI, StripUI: in.StripUI, Since: in.SinceMark})
	if err != nil {
		return TailOut{}, err
	}
	out := TailOut{Session: in.Session, Filters: verb.Echo(target)}
	for _, t := range tails {
		deps.Fleet.Announcer.Looked(ctx, core.SeenPane{PaneRef: t.PaneRef, Status: t.Status})
		out.Session = t.Session
		out.Marks = append(out.Marks, t.Mark)
		out.Panes = append(out.Panes, tailRow{PaneRow: verb.RowAt(t.PaneRef, &t.Status), Shown: t.Shown})
	}
	return out, nil
}

// Hints returns advice for the caller.
func (o TailOut) Hints() *registry.Hints {
	hints := &registry.Hints{}
	for _, row := range o.Panes {
		if !row.Complete {
			hints.Warnings = append(hints.Warnings, row.Address()+": "+row.Why)
		}
	}
	return hints
}

// Report shows the answer to people.
func (o TailOut) Report() *report.Report {
	r := &report.Report{}
	for _, row := range o.Panes {
		block := report.Block{Quote: strings.Join(row.Lines, "\n") + "\n"}
		if len(o.Panes) > 1 {
			block.Heading = row.Address() + " " + row.Agent
		}
		r.Add(block)
		if !row.Complete {
			r.AddLine(report.Toned(report.Dim, row.Why))
		}
	}
	return r
}

// tailLine is one line of tail --follow.
type tailLine struct {
	output.Event
	alone bool
}

// Report shows the line to people, with its pane where there are several.
func (l tailLine) Report() *report.Report {
	text := report.Text(l.Text)
	switch l.Type {
	case output.EventGap:
		text.Tone = report.Dim
	case output.EventClosed:
		text = report.Toned(report.Dim, l.Address()+" is closed")
	}
	if l.alone {
		return report.Say(text)
	}
	return report.Say(report.Toned(report.Dim, l.Address()+"  "), text)
}

func followTail(ctx context.Context, deps verb.OnFleet, in TailIn, emit func(any) error) (TailOut, error) {
	target := verb.TargetOf(in.Session, in.OfPanes, in.All, nil)
	out := TailOut{Filters: verb.Echo(target)}
	_, panes, err := deps.Chosen(ctx, target)
	if err != nil {
		return out, err
	}
	if len(panes) > 0 {
		out.Session = panes[0].Session
	}
	limited, begin, end := await.Timed(ctx, in.Timeout, context.DeadlineExceeded)
	defer end()
	lines := 0
	request := output.Request{Target: target, Escapes: in.ANSI, Since: in.SinceMark, Captured: begin}
	out.Marks, err = deps.Fleet.Output.Follow(limited, request, func(said output.Event) error {
		lines++
		return emit(tailLine{Event: said, alone: len(panes) == 1})
	})
	out.Lines, out.Reason = &lines, "closed"
	if limited.Err() != nil {
		out.Reason = "timeout"
	}
	if err == nil && ctx.Err() != nil {
		out.Reason = "interrupted"
		err = &core.Error{Code: core.Cancelled, Message: "tail was interrupted", Details: out, Err: ctx.Err()}
	}
	return out, err
}
