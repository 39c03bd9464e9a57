package stories

import (
	"context"
	"slices"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/run/story"
	"cupola/core/run/story/loop"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type logFilters struct {
	Type  []string `json:"type,omitempty" enum:"story_run_start,story_run_end,story_start,story_done,story_failed,try_start,try_end,task_done,scope,verify,commit,merge,conflict,learning,note,pause,resume" help:"Only events of these types, separated by commas"`
	Story string   `json:"story,omitempty" help:"Only events of this story"`
}

type storyLogsIn struct {
	OfRun
	logFilters
	Follow bool `help:"Answer with each event as it comes, until the run ends"`
	registry.Page
}

// Streaming reports whether the answer is to come piece by piece.
func (in storyLogsIn) Streaming() bool { return in.Follow }

// Live reports whether a person sees the events as they come.
func (in storyLogsIn) Live() bool { return in.Follow }

type storyLogsOut struct {
	ID      string      `json:"id"`
	State   story.State `json:"state"`
	Filters logFilters  `json:"filters,omitzero"`
	// Events are in the order in which they were recorded.
	Events []eventRow `json:"events" empty:"nothing was recorded" filtered:"nothing fits the filters"`
	verb.Paged

	shown bool
}

// eventRow is one event.
type eventRow struct {
	_ struct{} `minimal:"type,story,text" standard:"seq,at,type,story,try,text,command,passed,commit,step,reason"`
	story.Event
}

var storyLogs = registry.Define(registry.Spec[*verb.Local, storyLogsIn, storyLogsOut]{
	Name: "story-logs", Of: "run-logs", Group: verb.GroupStory, Short: "List what happened in a run of stories",
	Scope: registry.Resource, Effect: registry.Reads, List: "events",
	Examples: []string{"a1b2c3d4", "a1b2c3d4 --type=verify"},
	Errors:   codes,
	Run: func(_ context.Context, env *verb.Local, in storyLogsIn) (storyLogsOut, error) {
		r, err := find(env, in.Run)
		if err != nil {
			return storyLogsOut{}, err
		}
		events, _, err := loop.Events(Directory(env), r.ID, 0)
		if err != nil {
			return storyLogsOut{}, err
		}
		out := storyLogsOut{ID: r.ID, State: r.State, Filters: in.logFilters}
		rows := []eventRow{}
		for i := range events {
			if in.chooses(&events[i]) {
				rows = append(rows, eventRow{Event: events[i]})
			}
		}
		out.Events, out.Paged = verb.Cut(rows, in.Page)
		return out, nil
	},
	Stream: registry.Stream[*verb.Local, storyLogsIn, storyLogsOut]{Line: eventLine{}, Run: followStoryLogs},
}).SeeAlso("run-show")

func (in storyLogsIn) chooses(e *story.Event) bool {
	return (len(in.Type) == 0 || slices.Contains(in.Type, string(e.Type))) && (in.Story == "" || e.Story == in.Story)
}

func followStoryLogs(
	ctx context.Context, env *verb.Local, in storyLogsIn, emit func(any) error,
) (storyLogsOut, error) {
	r, err := find(env, in.Run)
	if err != nil {
		return storyLogsOut{}, err
	}
	directory := Directory(env)
	err = run.Follow(ctx, func() (ended bool, err error) {
		if r, err = directory.Load(r.ID); err != nil {
			return false, core.FileError("read the run", err)
		}
		return r.State.Ended() && !directory.Held(r.ID), nil
	}, func(offset int64) ([]story.Event, int64, error) {
		return loop.Events(directory, r.ID, offset)
	}, func(e *story.Event) error {
		if !in.chooses(e) {
			return nil
		}
		return emit(eventLine{Event: *e})
	})
	if r == nil {
		return storyLogsOut{}, err
	}
	return storyLogsOut{ID: r.ID, State: r.State, Events: []eventRow{}, shown: true}, err
}

// Next shows what the run came to.
func (o storyLogsOut) Next() []registry.Action {
	return []registry.Action{verb.NextAction("status", "See every try of each story", "story-status", o.ID)}
}

// Report shows the events to a person.
func (o storyLogsOut) Report() *report.Report {
	r := &report.Report{}
	for i := range o.Events {
		r.Blocks = append(r.Blocks, eventLine{Event: o.Events[i].Event}.Report().Blocks...)
	}
	if len(o.Events) == 0 && !o.shown {
		r.AddLine(report.Toned(report.Dim, "Nothing was recorded."))
	}
	return r
}
