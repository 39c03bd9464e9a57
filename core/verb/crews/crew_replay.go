package crews

import (
	"context"
	"strconv"
	"time"

	"cupola/core"
	"cupola/core/record/store"
	"cupola/core/run/crew"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type crewReplayIn struct {
	OfCrew
	Follow bool   `help:"Go on with what happens, until the crew ends"`
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
	Errors:   codes,
	Run: func(ctx context.Context, env *verb.Env, in crewReplayIn) (CrewOut, error) {
		return replay(ctx, env, in, nil)
	},
	Stream: registry.Stream[*verb.Env, crewReplayIn, CrewOut]{Line: crewLine{}, Run: replay},
}).SeeAlso("run-logs", "crew-export")

// followEvery is how often a crew is looked at that is followed.
const followEvery = 100 * time.Millisecond

func replay(ctx context.Context, env *verb.Env, in crewReplayIn, emit func(any) error) (CrewOut, error) {
	crews, err := read(ctx, env)
	if err != nil {
		return CrewOut{}, err
	}
	c, err := Load(ctx, env, in.Crew)
	if err != nil {
		return CrewOut{}, err
	}
	speed, err := in.speed()
	if err != nil {
		return CrewOut{}, err
	}
	player := &player{crews: crews, id: c.ID, speed: speed, emit: emit}
	for {
		// The state is read first: what came before the end is on record then.
		if c, err = Load(ctx, env, in.Crew); err != nil {
			return CrewOut{}, err
		}
		if err := player.play(ctx); err != nil {
			return CrewOut{Crew: c, Outcome: []Told{}}, err
		}
		if !in.Follow || c.State.Ended() && !Book(&env.Local).Running(c.ID) {
			out, err := outWith(ctx, crews, c, player.events)
			if out.shown = emit != nil; !out.shown {
				out.Events = rowsOf(player.events)
			}
			return out, err
		}
		if err := core.Sleep(ctx, followEvery); err != nil {
			return CrewOut{Crew: c, Outcome: []Told{}}, err
		}
	}
}

// player passes on the events of a crew.
type player struct {
	crews store.Crews
	id    string
	speed float64
	emit  func(any) error

	passed int64
	last   time.Time
	// events are all that were passed on.
	events []crew.Event
}

func (p *player) play(ctx context.Context) error {
	events, err := p.crews.Events(ctx, p.id, p.passed)
	if err != nil {
		return err
	}
	p.events = append(p.events, events...)
	for i := range events {
		e := &events[i]
		if p.speed > 0 && !p.last.IsZero() && e.At.After(p.last) {
			if err := core.Sleep(ctx, time.Duration(float64(e.At.Sub(p.last))/p.speed)); err != nil {
				return err
			}
		}
		p.passed, p.last = e.Seq, e.At
		if p.emit == nil {
			continue
		}
		if err := p.emit(crewLine{Event: *e, whole: true}); err != nil {
			return err
		}
	}
	return nil
}
