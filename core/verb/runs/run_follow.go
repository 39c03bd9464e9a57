package runs

import (
	"context"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type runFollowIn struct{ OfRun }

// runFollowOut is the run at its end.
type runFollowOut struct {
	run.Head
}

// logLine is one event as it comes.
type logLine struct{ run.Event }

// Report shows the event to a person.
func (l logLine) Report() *report.Report {
	line := report.Line{}
	if !l.At.IsZero() {
		line = append(line, report.Toned(report.Dim, l.At.Local().Format("15:04:05")+"  "))
	}
	line = append(line, report.Toned(report.Dim, l.Type+"  "))
	if l.About != "" {
		line = append(line, report.Toned(report.Strong, l.About+"  "))
	}
	r := &report.Report{}
	return r.AddLine(append(line, report.Text(core.OneLine(l.Text)))...)
}

var runFollow = registry.Define(registry.Spec[*verb.Env, runFollowIn, runFollowOut]{
	Name: "run-follow", Group: verb.GroupRuns, Short: "Show what happens in a run, until it ends",
	Long:  "A line for each event, those of before included; the last line is the run at its end.",
	Scope: registry.Resource, Effect: registry.Reads,
	Examples: []string{"a1b2c3d4"},
	Errors:   codes,
	Stream: registry.Stream[*verb.Env, runFollowIn, runFollowOut]{
		Line: logLine{},
		Run: func(ctx context.Context, env *verb.Env, in runFollowIn, emit func(any) error) (runFollowOut, error) {
			found, err := env.Runs.Find(in.Run)
			if err != nil {
				return runFollowOut{}, err
			}
			h, err := controlOf(env, found.Kind).Follow(ctx, found.ID, func(e run.Event) error {
				return emit(logLine{e})
			})
			return runFollowOut{h}, err
		},
	},
}).SeeAlso("run-show")

// Next says what can be done with the run as it is.
func (o runFollowOut) Next() []registry.Action { return next(&o.Head) }

// Report shows a person how the run ended.
func (o runFollowOut) Report() *report.Report { return StateOut{Head: o.Head}.Report() }
