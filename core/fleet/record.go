package fleet

import (
	"context"
	"os"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/engine"
	"cupola/core/process"
	"cupola/core/transcript"
)

// places tell where the agents of a picture keep their records. Each is looked
// for once, when it is asked for.
type places map[core.PaneID]func() transcript.Place

// Asked, if not nil, tells what an agent was asked.
func placesOf(snapshot *core.Snapshot, tags map[core.PaneID]map[string]string, asked promptsOf) places {
	type home struct {
		kind core.Kind
		dir  string
	}
	all, share := places{}, map[home][]core.PaneID{}
	for _, pane := range snapshot.Panes() {
		if !pane.IsAgent() || !transcript.Keeps(pane.Agent.Kind) {
			continue
		}
		at := home{pane.Agent.Kind, pane.Process.Dir}
		share[at] = append(share[at], pane.ID)
		all[pane.ID] = sync.OnceValue(func() transcript.Place {
			place := placeOf(pane, tags[pane.ID])
			if asked != nil {
				place.Asked = func() []string { return asked(pane, sinceOf(snapshot, pane)) }
			}
			place.Peers = func() (peers []transcript.Place) {
				for _, id := range share[at] {
					if id != pane.ID {
						peers = append(peers, all[id]())
					}
				}
				return peers
			}
			return place
		})
	}
	return all
}

// sinceOf is when the agent of a pane was started or, where that is not known, its session
// made: a server that was started anew gives the ids of panes again.
func sinceOf(snapshot *core.Snapshot, pane *core.Pane) time.Time {
	if !pane.Agent.Started.IsZero() {
		return pane.Agent.Started
	}
	for i := range snapshot.Sessions {
		if session := &snapshot.Sessions[i]; session.Name == pane.Session {
			return session.Created
		}
	}
	return time.Time{}
}

// of is where a pane's agent keeps its record; without a kind where it keeps none.
func (p places) of(pane *core.Pane) transcript.Place {
	if find, ok := p[pane.ID]; ok {
		return find()
	}
	return transcript.Place{}
}

// placeOf is what is known of a pane's agent that helps to find its record: the
// environment, folder and open files of its processes, and its session.
func placeOf(pane *core.Pane, tags map[string]string) transcript.Place {
	place := transcript.Place{
		Kind: pane.Agent.Kind, Dir: pane.Process.Dir, Started: pane.Agent.Started, Launched: tags[engine.TagSession],
	}
	var live liveStatus
	if pane.Process.Dead {
		// Where its home was is not known any more; most often it is this process's.
		place.Env = os.Getenv
	} else {
		place.Env = variables(foreground(pane.Process.PID).PID)
		for _, p := range process.Tree(pane.Process.PID) {
			place.Open = append(place.Open, process.Files(p.PID)...)
		}
		live.find(pane)
	}
	if live.told != nil {
		place.Session = live.told.Session
	} else if hook := decodeHook(tags[engine.TagHook]); hook != nil && !hook.At.Before(pane.Agent.Started) {
		place.Session = hook.Session
	}
	return place
}

// recorded is a pane with everything that tells of its agent's work.
type recorded struct {
	pane   *core.Pane
	kind   *agent.Kind // nil where none is known
	told   transcript.Account
	err    error
	screen *glance
}

// recordsOf reads the records of the panes that are picked, beside the screens that were
// read to judge them.
func recordsOf(ctx context.Context, l *launcher, pick picker) ([]recorded, error) {
	m := newMemory(false)
	seen, err := l.glimpse(ctx, View{Dirs: true}.detail(), m, pick)
	if err != nil {
		return nil, err
	}
	panes, places := seen.panes, placesOf(seen.snapshot, tagsOf(&seen.listing), asked(ctx, &l.observer))
	found := make([]recorded, len(panes))
	eachPane(panes, nil, "read", func(i int, pane *core.Pane) {
		found[i].pane, found[i].kind = pane, l.kindOf(pane)
		found[i].told, found[i].err = transcript.Read(ctx, places.of(pane))
	})
	for i, pane := range panes {
		if k := m.panes[pane.ID]; k != nil && k.screen != nil {
			found[i].screen = &glance{screen: k.screen}
			if kind := found[i].kind; kind != nil && kind.Readable() {
				found[i].screen.reading = kind.Read(k.screen)
			}
		}
	}
	return found, ctx.Err()
}

// promptsOf tells what the agent of a pane is known to have been asked since a time, the
// newest first.
type promptsOf func(pane *core.Pane, since time.Time) []string

// asked asks the journal. One that cannot be read knows nothing.
func asked(ctx context.Context, o *observer) promptsOf {
	return func(pane *core.Pane, since time.Time) []string {
		if o.journal == nil {
			return nil
		}
		prompts, err := o.journal.Asked(ctx, Ref(pane), since)
		if err != nil {
			o.log.Warn("what an agent was asked is not known", "pane", pane.Address(), "error", err)
		}
		return prompts
	}
}
