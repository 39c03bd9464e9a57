package crews

import (
	"context"
	"strconv"
	"time"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/run/crew"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type crewReplayIn struct {
	OfCrew
	Follow bool   `help:"Keep showing what happens, until the crew ends"`
	Speed  string `help:"Wait between events as the crew did, this many times as fast (2, 0.5); at once without it"`
}

// Streaming reports whether every event is a line of its own.
func (in crewReplayIn) Streaming() bool { return in.Follow }

// Live reports that a person sees the events as they come.
func (in crewReplayIn) Live() bool { return true }

// Check sees that the speed is a number.
func (in crewReplayIn) Check() error {
	_, err := in.speed()
	return err
}

func (in crewReplayIn) speed() (float64, error) {
	if in.Speed == "" {
		return 0, nil
	}
	speed, err := strconv.ParseFloat(in.Speed, 64)
	if err != nil || !(speed > 0) || speed > 1e6 {
		return 0, core.Errorf(core.InvalidInput, "%q is no speed, such as 2 or 0.5", in.Speed)
	}
	return speed, nil
}

var crewReplay = registry.Define(registry.Spec[*verb.Env, crewReplayIn, CrewOut]{
	Name: "crew-replay", Group: verb.GroupCrew, Short: "Show all that was said in a crew, also while it works",
	Aliases: []string{"agentic replay"},
	Scope:   registry.Resource, Effect: registry.Reads, List: "told_user",
	Examples: []string{"k3x9ab2"},
	Errors:   codes, Run: registry.Whole(replay),
	Stream: registry.Stream[*verb.Env, crewReplayIn, CrewOut]{Line: crewLine{}, Run: replay},
}).SeeAlso("run-logs", "crew-export")

func replay(ctx context.Context, env *verb.Env, in crewReplayIn, emit func(any) error) (CrewOut, error) {
	speed, err := in.speed()
	if err != nil {
		return CrewOut{}, err
	}
	crews, err := read(ctx, env)
	if err != nil {
		return CrewOut{}, err
	}
	var c *crew.Crew
	player := &player{speed: speed, emit: emit}
	err = run.Follow(ctx, func() (ended bool, err error) {
		if c, err = load(ctx, env, in.Crew); err != nil {
			return false, err
		}
		return !in.Follow || c.State.Ended() && !Directory(&env.Local).Running(c.ID), nil
	}, func(after int64) ([]crew.Event, int64, error) {
		events, err := crews.Events(ctx, c.ID, after)
		if n := len(events); n > 0 {
			after = events[n-1].Seq
		}
		return events, after, err
	}, func(e *crew.Event) error { return player.play(ctx, e) })
	if err != nil {
		return CrewOut{Crew: c, Outcome: []UserMessage{}}, err
	}
	out, err := outWith(ctx, crews, c, player.events)
	if out.shown = emit != nil; !out.shown {
		out.Events = rowsOf(player.events)
	}
	return out, err
}

// player passes on the events of a crew.
type player struct {
	speed float64
	emit  func(any) error

	last time.Time
	// events are all that were passed on.
	events []crew.Event
}

func (p *player) play(ctx context.Context, e *crew.Event) error {
	p.events = append(p.events, *e)
	if p.speed > 0 && !p.last.IsZero() && e.At.After(p.last) {
		if err := core.Sleep(ctx, time.Duration(float64(e.At.Sub(p.last))/p.speed)); err != nil {
			return err
		}
	}
	p.last = e.At
	if p.emit == nil {
		return nil
	}
	return p.emit(crewLine{Event: *e, whole: true})
}
