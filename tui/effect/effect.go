// Package effect is the only part of the dashboard that acts: it turns intents
// into calls of the fleet, and the fleet's live frames into messages. Nothing
// here draws or decides; a result says which intent it answers.
package effect

import (
	"cmp"
	"context"
	"errors"
	"os"
	"reflect"
	"slices"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/fleet"
	"cupola/core/fleet/conversation"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/keeper"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/output"
	"cupola/core/fleet/resolve"
	"cupola/core/git/changes"
	"cupola/core/record/checkpoint"
	"cupola/core/record/undo"
	"cupola/core/system/process"
	"cupola/tui/intent"
	changed "cupola/tui/screen/changes"
	"cupola/tui/screen/explain"
	"cupola/tui/screen/history"
	"cupola/tui/terminal"
)

// Framed is a frame of keeper.Live.
type Framed struct {
	Frame keeper.Frame
	// Composers are how many rows at the end of the frame's screens are no words of the agents', as far as they were
	// looked at.
	Composers map[core.PaneID]int
}

// Ended says that there will be no more frames; Err is nil at an orderly end.
type Ended struct{ Err error }

// Done says how an intent ended. Said is a line for the user.
type Done struct {
	Intent intent.Intent
	Said   string
	Err    error
	// Answer is the answer of the verb of an act; nil for none.
	Answer any
	// Lent is true if the terminal was handed over and is back.
	Lent bool
	// Undo are the acts that were put on record by it, so that they can be taken back.
	Undo []undo.Act
	// Unsent are the panes that did not take a prompt, where some did.
	Unsent []intent.Target
}

// Questioned says what an agent waits for; Err why that is unknown. Runs is the command that it asks to run, if that is
// proven.
type Questioned struct {
	Intent  intent.Question
	Reason  core.Reason
	Asked   []string
	Runs    string
	Options []agent.Option
	Err     error
}

// CheckpointsListed are the recorded sessions; Err says why they cannot be listed.
type CheckpointsListed struct {
	Entries []checkpoint.Entry
	Err     error
}

// Ticked says that the minute or the second has changed.
type Ticked struct {
	Now time.Time
	// Every is time.Minute or time.Second.
	Every time.Duration
}

// services are the parts of a fleet that are read, and the one that presses keys.
type services struct {
	sender interface {
		Keys(ctx context.Context, request deliver.KeysRequest) ([]core.SeenPane, error)
		Answer(ctx context.Context, request deliver.AnswerRequest) ([]deliver.Answered, error)
	}
	launcher interface {
		Attach(ctx context.Context, target string) (argv []string, inside bool, err error)
	}
	output interface {
		Tail(ctx context.Context, request output.Request) ([]output.Tail, error)
	}
	conversations interface {
		Transcript(ctx context.Context, target resolve.Target) (conversation.Transcript, error)
	}
	announcer interface {
		Looked(ctx context.Context, panes ...core.SeenPane)
	}
	observer interface {
		KindOf(pane *core.Pane) *agent.Kind
		Explain(ctx context.Context, target resolve.Target) ([]observe.Explanation, error)
	}
}

// Effects acts on one fleet.
type Effects struct {
	ctx   context.Context
	fleet services
	live  keeper.Stream
	// others knows the other machines.
	others   otherHosts
	terminal *terminal.Terminal
	clip     func(text string) error
	readers  readers
	trees    *trees
	relays   *relays
	crews    *crews
	stories  *stories
	door     Door
	// checkpoints is the folder of the recorded sessions.
	checkpoints string
	commands    commands
	owns        owns
	recordings  recordings
	composers   composers
	typist      typist
	acts        acts
	// doing maps intents to their commands; made at the first intent.
	doing struct {
		once  sync.Once
		doers doers
	}
}

// acts counts the running acts. None begins after close.
type acts struct {
	mu       sync.Mutex
	closed   bool
	underway sync.WaitGroup
}

func (a *acts) begin() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.closed {
		a.underway.Add(1)
	}
	return !a.closed
}

func (a *acts) close() {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.underway.Wait()
}

// History returns what was sent to a pane or session.
type History func(ctx context.Context, about intent.Target) (history.Sent, error)

// Services are the dependencies of the dashboard beside a fleet. Only Clip and Door are required.
type Services struct {
	// Door leads to the verbs.
	Door Door
	// Clip puts a text on the clipboard.
	Clip func(text string) error
	// History returns what was sent; nil if nothing is recorded.
	History History
	// Work returns what is known of the work of a snapshot's agents; nil is nothing.
	Work Work
	// Readers answer what screens ask, beside what is asked of the fleet.
	Readers []Reader
	// Runs lists the runs of all kinds; nil lists none.
	Runs    Runs
	Relays  Relays
	Crews   Crews
	Stories Stories
	// PlayBack is the command that plays on a terminal what was recorded of the pane with an address; nil
	// plays nothing.
	PlayBack func(address string, session time.Time) (argv []string, err error)
	// Demo is the command that shows a demo on a terminal.
	Demo []string
	// Command runs commands of this program; nil runs none.
	Command Command
	// OwnEnviron is the environment of the user's own commands.
	OwnEnviron []string
	// Hosts are other machines; nil is none.
	Hosts Hosts
	// Checkpoints is the folder of the recorded sessions.
	Checkpoints string
	// Environ is the environment of git; nil is this process's own. Editor returns the user's editor as an argument
	// list; nil or empty for none.
	Environ []string
	Editor  func() []string
}

// Open starts a keeper.Live, which ends with ctx. The terminal is handed over to programs that need it.
func Open(ctx context.Context, f *fleet.Fleet, shown *terminal.Terminal, beside Services) (*Effects, error) {
	live, err := f.Streams.Live(ctx, false)
	if err != nil {
		return nil, err
	}
	if beside.Environ == nil {
		beside.Environ = os.Environ()
	}
	parts := services{
		sender:        f.Sender,
		launcher:      f.Launcher,
		output:        f.Output,
		observer:      f.Observer,
		announcer:     f.Announcer,
		conversations: f.Conversations,
	}
	e := &Effects{
		ctx:         ctx,
		fleet:       parts,
		door:        beside.Door,
		others:      otherHosts{beside.Hosts, beside.Door},
		terminal:    shown,
		clip:        beside.Clip,
		checkpoints: beside.Checkpoints,
		commands:    commands{beside.Command},
		owns:        owns{environ: beside.OwnEnviron},
		recordings:  recordings{beside.PlayBack, beside.Demo, shown},
		trees:       &trees{beside.Environ, beside.Editor},
		relays:      newRelays(beside.Relays),
		crews:       newCrews(beside.Crews),
		stories:     newStories(beside.Stories),
	}
	e.live = live.Stream()
	if beside.Hosts != nil {
		e.live = beside.Hosts.Join(ctx, e.live)
	}
	e.readers = slices.Concat(e.ownReaders(beside.History, beside.Work), beside.Runs.readers(),
		e.relays.readers(), e.crews.readers(), e.stories.readers(), beside.Readers)
	e.composers.kindOf = f.Observer.KindOf
	return e, nil
}

// Close waits until all acts have ended, so that none is left half done or unrecorded. The
// context that was given to Open must have ended, which cancels acts and ends the frames.
func (e *Effects) Close() {
	e.acts.close()
	for range e.live.Frames {
	}
}

// Next waits for the next frame.
func (e *Effects) Next() tea.Msg {
	frame, ok := <-e.live.Frames
	if !ok {
		return Ended{Err: e.live.Err()}
	}
	return Framed{Frame: frame, Composers: e.composers.below(&frame)}
}

// Look sets which panes are on the display.
func (e *Effects) Look(panes []core.PaneID) { e.live.Display(panes) }

// Tick waits for the next minute or second, when ages change.
func (e *Effects) Tick(every time.Duration) tea.Cmd {
	return tea.Every(every, func(now time.Time) tea.Msg { return Ticked{Now: now, Every: every} })
}

// Do returns the command that carries out an intent, or nil for one that is not
// acted upon here.
func (e *Effects) Do(wanted intent.Intent) tea.Cmd {
	e.doing.once.Do(func() { e.doing.doers = e.doers() })
	if do := e.doing.doers[reflect.TypeOf(wanted)]; do != nil {
		return do(wanted)
	}
	return nil
}

// doers map types of intents to their commands.
type doers map[reflect.Type]func(wanted intent.Intent) tea.Cmd

// on adds what is done about the intents of a type.
func on[I intent.Intent](d doers, do func(I) tea.Cmd) {
	d[reflect.TypeFor[I]()] = func(wanted intent.Intent) tea.Cmd {
		own, _ := wanted.(I) // its type is the key
		return do(own)
	}
}

// acting adds an act, which Close waits for.
func acting[I intent.Intent](e *Effects, d doers, act func(I) Done) {
	on(d, func(w I) tea.Cmd { return e.underway(w, func() Done { return act(w) }) })
}

// saying adds an act that no verb does, and that says what it did.
func saying[I intent.Intent](e *Effects, d doers, act func(context.Context, I) (string, error)) {
	acting(e, d, func(w I) Done { return ended(act(e.ctx, w)) })
}

// answering adds what ends with a message.
func answering[I intent.Intent](d doers, answer func(I) tea.Msg) {
	on(d, func(w I) tea.Cmd { return func() tea.Msg { return answer(w) } })
}

// doers are all that is acted upon.
func (e *Effects) doers() doers {
	d := doers{}
	acting(e, d, e.act)
	acting(e, d, e.each)
	saying(e, d, func(_ context.Context, w intent.CopyText) (string, error) { return e.copyText(w.Text) })
	saying(e, d, e.copyReply)
	on(d, e.attach)
	on(d, e.question)
	on(d, func(w intent.Press) tea.Cmd { return e.typist.add(e.ctx, w, e.press) })
	answering(d, e.edit)
	answering(d, e.looked)
	answering(d, func(w intent.Replay) tea.Msg { return e.recordings.replay(e.ctx, w) })
	answering(d, func(w intent.Demo) tea.Msg {
		return lendTo(e.terminal, w, clientOf(e.ctx, e.recordings.demo), runError("the demo"))
	})
	answering(d, func(w intent.Suspend) tea.Msg { return suspend(e.terminal, w, process.Find) })
	answering(d, func(intent.Redraw) tea.Msg {
		e.terminal.Repaint()
		return nil
	})
	runs := runChanges(polled)
	if e.live.Runs != nil {
		runs = e.live.Runs
	}
	answering(d, func(w intent.Read) tea.Msg { return e.readers.read(e.ctx, w, runs) })
	answering(d, func(w intent.RunCommand) tea.Msg { return e.commands.show(e.ctx, w) })
	answering(d, func(w intent.RunOwn) tea.Msg { return e.owns.run(e, w) })
	answering(d, func(w intent.PlanRun) tea.Msg { return e.stories.plan(e.ctx, w) })
	answering(d, func(w intent.Backends) tea.Msg { return e.relays.backends(w) })
	answering(d, func(intent.ListCheckpoints) tea.Msg {
		entries, err := checkpoint.List(e.checkpoints)
		return CheckpointsListed{Entries: entries, Err: err}
	})
	return d
}

// looked notes a look at a finished turn. On another host that is a reading of the pane.
func (e *Effects) looked(w intent.Looked) tea.Msg {
	target := intent.Target{Session: w.Pane.Session, Pane: w.Pane.Pane, Address: w.Pane.Address()}
	if to := e.others.at(target); to != nil {
		_, _ = to.text(e.ctx, 1, false) // nothing depends on it
		return nil
	}
	e.fleet.announcer.Looked(e.ctx, w.Pane)
	return nil
}

// press presses keys, here or on another host.
func (e *Effects) press(ctx context.Context, request deliver.KeysRequest) error {
	if to := e.others.at(intent.Target{Session: request.Target.Session}); to != nil {
		return to.press(ctx, request.Keys)
	}
	_, err := e.fleet.sender.Keys(ctx, request)
	return err
}

// word names a target for the fleet: a pane by its id, because the address of an unmanaged
// pane can change.
func word(target intent.Target) string {
	return cmp.Or(target.Identity, name(target))
}

// name is how a target is called on any host: by the id of a pane, or the name of a session.
func name(target intent.Target) string {
	if target.Pane != "" {
		return string(target.Pane)
	}
	return target.Session
}

// attach gives the terminal to the engine's own client, and takes it back when that ends.
// Within the same server it only switches the client.
func (e *Effects) attach(w intent.Attach) tea.Cmd {
	return func() tea.Msg {
		var argv []string
		var inside bool
		var err error
		if to := e.others.at(w.Target); to != nil {
			argv, err = to.hosts.Attach(to.address)
		} else {
			argv, inside, err = e.fleet.launcher.Attach(e.ctx, word(w.Target))
		}
		if err != nil {
			return Done{Intent: w, Err: err}
		}
		cmd := clientOf(e.ctx, argv)
		if !inside {
			return lendTo(e.terminal, w, cmd, attachError)
		}
		if err = cmd.Run(); err != nil {
			err = attachError(err)
		}
		return Done{Intent: w, Err: err}
	}
}

// ownReaders answer what is asked of the fleet and its folders; history and work may be nil.
func (e *Effects) ownReaders(past History, work Work) []Reader {
	all := []Reader{
		Read(e.explain), Read(e.scrollback), Read(e.trees.patch),
		readOf(func(ctx context.Context, asked changed.Question, w intent.Read) ([]changes.Tree, error) {
			return e.trees.read(ctx, asked.Base, e.others.here(w.Snapshot), w.Known)
		}),
		Read(func(ctx context.Context, w history.Question) (history.Sent, error) {
			if to := e.others.at(w.About); to != nil {
				return to.recall(ctx)
			}
			if past == nil {
				return history.Sent{}, errors.New("nothing is on record here")
			}
			return past(ctx, w.About)
		}),
	}
	if work != nil {
		works := &works{of: work, here: e.others.here}
		all = append(all, readOf(works.read))
	}
	return all
}

// explain asks the fleet why a pane is in its state.
func (e *Effects) explain(ctx context.Context, w explain.Question) (explain.Why, error) {
	why, err := e.fleet.observer.Explain(ctx, resolve.Target{Session: string(w.Pane)})
	if err != nil || len(why) == 0 {
		return explain.Why{}, cmp.Or(err, error(core.Errorf(core.PaneNotFound, "it is gone")))
	}
	return explain.Why{Signals: why[0].Signals, Until: why[0].Until}, nil
}
