// Package conversation reads what agents recorded of their work: which transcript belongs to
// which pane, the last reply, how much context is used, and whether the last prompt is answered.
// Without a transcript, it reads the screen.
package conversation

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/transcript"
	"cupola/core/engine"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/panetag"
	"cupola/core/fleet/parallel"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/rundir"
	"cupola/core/fleet/terminal"
	"cupola/core/system/process"
)

// Journal provides the prompts that panes accepted.
type Journal interface {
	// Asked returns the prompts that a pane accepted since a time, the newest first.
	Asked(ctx context.Context, pane core.PaneRef, since time.Time) ([]core.TakenPrompt, error)
	// Newest returns the newest prompt that each pane accepted since a time.
	Newest(ctx context.Context, since time.Time) (map[core.PaneID]core.TakenPrompt, error)
}

// Options configures a Reader. All but Journal are required.
type Options struct {
	Engine   engine.Engine
	Observer *observe.Observer
	Resolver *resolve.Resolver
	Journal  Journal
	// Dir has the sockets of conversations by protocol; nil for none.
	Dir *rundir.Dir
	Now func() time.Time
	Log *slog.Logger
}

// Reader reads conversations. Its methods may be called concurrently.
type Reader struct{ opts Options }

// New returns a Reader.
func New(o Options) *Reader { return &Reader{o} }

// Places holds the facts by which each agent's transcript is found. Each value is computed once, when it is first
// requested.
type Places map[core.PaneID]func() *transcript.Subject

// Places returns the Places of the agents of an observation. All readers of conversations use them, so that all find
// the same ones.
func (r *Reader) Places(ctx context.Context, seen *observe.Observation) Places {
	snapshot, tags := seen.Snapshot, seen.Listing.Tags()
	type home struct {
		kind core.Kind
		dir  string
	}
	all, share := Places{}, map[home][]core.PaneID{}
	processes := r.opts.Engine.Processes()
	for _, pane := range snapshot.Panes() {
		if !pane.IsAgent() {
			continue
		}
		kind, named := r.opts.Observer.KindOf(pane), tags[pane.ID][engine.TagSession]
		byProtocol, keeps := agent.Speaks(kind), transcript.Keeps(pane.Agent.Kind) && processes.Local()
		if byProtocol && (named == "" || !keeps) {
			all[pane.ID] = func() *transcript.Subject {
				return &transcript.Subject{Kind: pane.Agent.Kind, Dir: pane.Process.Dir, Launched: named}
			}
			continue
		}
		if !keeps {
			continue
		}
		at := home{agent.NativeOf(pane.Agent.Kind).Kind, pane.Process.Dir}
		share[at] = append(share[at], pane.ID)
		all[pane.ID] = sync.OnceValue(func() *transcript.Subject {
			place := placeOf(processes, pane, tags[pane.ID])
			place.Asked = func() []core.TakenPrompt { return r.Asked(ctx)(pane, sinceOf(snapshot, pane)) }
			place.Shown = func(prompts []string) []int { return r.shownAt(ctx, seen, pane, prompts) }
			place.Screen = func() (string, bool) { return r.wordsOf(ctx, seen, pane) }
			if kind != nil {
				place.Command = kind.TakesForCommand
			}
			if byProtocol {
				place.Session, place.Named = named, time.Time{}
				place.Env = childEnv(processes, pane, place.Env)
			}
			place.Now = r.opts.Now()
			place.Peers = func() (peers []*transcript.Subject) {
				for _, id := range share[at] {
					if id != pane.ID {
						peers = append(peers, all[id]())
					}
				}
				return peers
			}
			return place.Shared()
		})
	}
	return all
}

// sinceOf is when the agent of a pane was started or, where that is not known, its session
// made: a restarted server reuses the ids of panes.
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

// Of returns the place of a pane's agent; without a kind if the agent keeps no transcript.
func (p Places) Of(pane *core.Pane) *transcript.Subject {
	if find, ok := p[pane.ID]; ok {
		return find()
	}
	return &transcript.Subject{}
}

// PlacesIn returns the places of the agents of a kind that work in a folder; none if that cannot be read.
func (r *Reader) PlacesIn(ctx context.Context, dir string, kind core.Kind) (places []*transcript.Subject) {
	seen, err := r.opts.Observer.Outline(ctx, observe.View{Dirs: true})
	if err != nil {
		return nil
	}
	all := r.Places(ctx, seen)
	for _, pane := range seen.Snapshot.Panes() {
		if pane.Agent.Kind == kind && pane.Process.Dir == dir {
			places = append(places, all.Of(pane))
		}
	}
	return places
}

// placeOf returns the facts by which the record of a pane's agent is found: the environment, folder and open files of
// its processes, and its session.
func placeOf(processes process.Source, pane *core.Pane, tags map[string]string) transcript.Subject {
	place := transcript.Subject{
		Kind: pane.Agent.Kind, Dir: pane.Process.Dir, Started: pane.Agent.Started, Launched: tags[engine.TagSession],
	}
	var live observe.LiveStatus
	place.Env = observe.Home(processes, pane, tags)
	if !pane.Process.Dead {
		place.Processes = processes.Tree(pane.Process.PID)
		for _, p := range place.Processes {
			place.Open = append(place.Open, processes.Files(p.PID)...)
		}
		live.Find(processes, pane)
	}
	if live.Live != nil {
		place.Session = live.Live.Session
	} else if hook := panetag.DecodeHook(tags[engine.TagHook]); hook != nil && !hook.At.Before(pane.Agent.Started) {
		place.Session, place.Named = hook.Session, hook.At
	}
	return place
}

// childEnv is the environment of the agent that the program of a pane has started to speak with it by protocol, and
// otherwise if there is none.
func childEnv(processes process.Source, pane *core.Pane, otherwise func(name string) string) func(name string) string {
	tree := processes.Tree(cmp.Or(pane.Agent.PID, pane.Process.PID))
	if len(tree) < 2 || processes.Environ(tree[1].PID) == nil {
		return otherwise
	}
	return observe.Variables(processes, tree[1].PID)
}

// Conversation is a pane with what its agent recorded of its work.
type Conversation struct {
	Pane    *core.Pane
	Kind    *agent.Kind // nil where none is known
	Account transcript.Account
	Err     error
	screen  *terminal.Capture
	// spoken is the conversation by protocol; nil where it is not served.
	spoken *spoken
	// remote is true for a pane of another machine, whose records are not read.
	remote bool
}

// sure reports whether a record was read that is certain to be the agent's own.
func (c *Conversation) sure() bool { return c.Err == nil && c.Account.Certain }

// Read reads the transcripts of the selected panes, with the screens on which their states
// were judged.
func (r *Reader) Read(ctx context.Context, selector resolve.Selector) ([]Conversation, error) {
	seen, err := r.opts.Observer.Select(ctx, observe.View{Dirs: true}, selector)
	if err != nil {
		return nil, err
	}
	panes, places := seen.Panes, r.Places(ctx, seen)
	found := make([]Conversation, len(panes))
	parallel.Each(panes, nil, "read", func(i int, pane *core.Pane) {
		found[i].Pane, found[i].Kind = pane, r.opts.Observer.KindOf(pane)
		found[i].remote = !r.opts.Engine.Processes().Local()
		found[i].Account, found[i].Err = transcript.Read(ctx, places.Of(pane))
		found[i].spoken = r.spoken(ctx, pane)
	})
	for i, pane := range panes {
		if screen := seen.Screen(pane.ID); screen != nil {
			found[i].setScreen(screen)
		}
	}
	return found, ctx.Err()
}

// Transcript is an agent's own record of its turns.
type Transcript struct {
	// Turns are the oldest first, as far back as records are read.
	Turns []transcript.Turn
	// Certain is false if another agent in the same folder may have written the record, Path.
	Certain bool
	Path    string
}

// Transcript returns the turns of one agent. It returns NotFound if the agent keeps no record, or none yet.
func (r *Reader) Transcript(ctx context.Context, target resolve.Target) (_ Transcript, err error) {
	defer func() { err = fault.Wrap("transcript", err) }()
	seen, err := r.opts.Observer.Outline(ctx, observe.View{Dirs: true})
	if err != nil {
		return Transcript{}, err
	}
	panes, err := r.opts.Resolver.Selector(target)(seen.Snapshot)
	if err != nil {
		return Transcript{}, err
	}
	if len(panes) != 1 {
		return Transcript{}, core.Errorf(core.InvalidInput, "%d panes were named; a transcript is read of one",
			len(panes))
	}
	account, err := transcript.ReadTurns(ctx, r.Places(ctx, seen).Of(panes[0]))
	if errors.Is(err, transcript.ErrNone) {
		return Transcript{}, core.Errorf(core.NotFound, "%s keeps no transcript that can be read", panes[0].Address())
	}
	return Transcript{Turns: account.Turns(), Certain: account.Certain, Path: account.Path}, err
}

// PromptsOf returns the known prompts of a pane's agent since a time, the newest first.
type PromptsOf func(pane *core.Pane, since time.Time) []core.TakenPrompt

// Asked returns the prompts of the journal. An unreadable journal has none.
func (r *Reader) Asked(ctx context.Context) PromptsOf {
	return func(pane *core.Pane, since time.Time) []core.TakenPrompt {
		if r.opts.Journal == nil {
			return nil
		}
		prompts, err := r.opts.Journal.Asked(ctx, pane.Ref(), since)
		if err != nil {
			r.opts.Log.Warn("what an agent was asked is not known", "pane", pane.Address(), "error", err)
		}
		return prompts
	}
}
