package agents

import (
	"context"

	"cupola/core"
	"cupola/core/fleet/await"
	"cupola/core/fleet/output"
	"cupola/core/text/report"
	"cupola/core/verb"
)

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
