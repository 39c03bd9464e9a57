package conversation

import (
	"context"
	"os"
	"slices"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/transcript"
	"cupola/core/fleet/panetag"
	"cupola/core/fleet/rundir"
)

// RanPlaces returns the Places of the agents of sessions that ran until their terminal server ended, by session and
// pane. They are found as those of running agents are, without what only a running process shows.
func (r *Reader) RanPlaces(ctx context.Context, ran []rundir.RanSession) []Places {
	type home struct {
		kind core.Kind
		dir  string
	}
	share := map[home][]func() *transcript.Subject{}
	all := make([]Places, len(ran))
	for i := range ran {
		all[i] = Places{}
		for j := range ran[i].Panes {
			pane := &ran[i].Panes[j]
			of := core.Pane{ID: pane.ID, Agent: pane.Agent}
			if agent.Speaks(r.opts.Observer.KindOf(&of)) {
				place := &transcript.Subject{Kind: pane.Agent.Kind, Dir: pane.Dir, Launched: pane.Launched}
				all[i][pane.ID] = func() *transcript.Subject { return place }
				continue
			}
			if !pane.Agent.Kind.IsAgent() || !transcript.Keeps(pane.Agent.Kind) {
				continue
			}
			at := home{pane.Agent.Kind, pane.Dir}
			n := len(share[at])
			find := sync.OnceValue(func() *transcript.Subject {
				place := r.ranPlace(ctx, &ran[i], pane)
				place.Peers = func() (peers []*transcript.Subject) {
					for k, other := range share[at] {
						if k != n {
							peers = append(peers, other())
						}
					}
					return peers
				}
				return place.Shared()
			})
			share[at], all[i][pane.ID] = append(share[at], find), find
		}
	}
	return all
}

// seenLate is how long a session may have run after it was seen last.
const seenLate = 2 * time.Minute

// ranPlace returns the facts by which the record of an agent that ran is found.
func (r *Reader) ranPlace(ctx context.Context, session *rundir.RanSession, pane *rundir.RanPane) transcript.Subject {
	place := transcript.Subject{
		Kind: pane.Agent.Kind, Dir: pane.Dir, Started: pane.Agent.Started, Launched: pane.Launched,
		Session: pane.Named, Named: pane.NamedAt, Now: r.opts.Now(), Env: os.Getenv,
	}
	if pane.Home != "" {
		place.Env = panetag.DecodeEnv(pane.Home)
	}
	if place.Named.IsZero() && place.Session != "" {
		place.Named = session.Seen
	}
	of := core.Pane{ID: pane.ID, Session: session.Name, Ordinal: pane.Ordinal, Agent: pane.Agent}
	since := pane.Agent.Started
	if since.IsZero() {
		since = session.Created
	}
	place.Asked = func() []core.TakenPrompt {
		// A server that came after has panes of the same ids.
		return slices.DeleteFunc(r.Asked(ctx)(&of, since),
			func(p core.TakenPrompt) bool { return p.Sent.After(session.Seen.Add(seenLate)) })
	}
	if kind := r.opts.Observer.KindOf(&of); kind != nil {
		place.Command = kind.TakesForCommand
	}
	return place
}
