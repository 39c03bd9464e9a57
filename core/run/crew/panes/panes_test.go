package panes_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"cupola/core"
	"cupola/core/agent/scripted"
	"cupola/core/engine/enginetest"
	"cupola/core/fleet"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/output"
	"cupola/core/fleet/resolve"
	"cupola/core/record/store"
	"cupola/core/run/crew"
	"cupola/core/run/crew/orchestrator"
	"cupola/core/run/crew/panes"
)

// The test binary is also the program of the kind scripted.
func init() { scripted.Main(context.Background()) }

// kind is the scripted agent, with the row that ends a turn as part of its interface.
const kind = `
id = "scripted"
[launch]
command = ["{self}", "scripted", "--speed", "0.3"]
[turn]
chrome = ['^- (done|interrupted|declined)']
`

// journal records which prompts panes took.
type journal struct{ fleettest.Journal }

func (j *journal) prompt(ctx context.Context, id string) (core.Prompt, error) {
	p, found, err := j.Recorded(ctx, id)
	if !found {
		return p, core.Errorf(core.NotFound, "no such prompt")
	}
	return p, err
}

// Newest returns what panes took last.
func (j *journal) Newest(context.Context, time.Time) (map[core.PaneID]core.TakenPrompt, error) {
	j.Mu.Lock()
	defer j.Mu.Unlock()
	newest := map[core.PaneID]core.TakenPrompt{}
	for _, p := range j.Prompts {
		for _, d := range j.Ended[p.ID] {
			if d.Outcome.Taken() {
				newest[d.Pane] = core.TakenPrompt{Text: p.Text, Sent: p.At, At: d.At}
			}
		}
	}
	return newest, nil
}

// sent are the prompts that were typed, one line each.
func (j *journal) sent() []string {
	j.Mu.Lock()
	defer j.Mu.Unlock()
	var lines []string
	for _, p := range j.Prompts {
		for _, d := range p.Deliveries {
			lines = append(lines, d.Agent+": "+p.Text)
		}
	}
	return lines
}

// scripts gives agents in the first turn what they are for, without the briefing, whose words they would obey. It
// is long enough to be shown as a count.
type scripts struct{ orchestrator.Stage }

func (s scripts) Ask(ctx context.Context, c *crew.Crew, turn orchestrator.Turn) (*orchestrator.Answer, error) {
	first := strings.Repeat("You are one of two.\n", 12) + turn.Member.Brief
	if turn.Ask.Turn == 0 {
		turn.Ask.Prompt = first
	} else if len(turn.Past) > 0 {
		turn.Past[0].Prompt = first
	}
	return s.Stage.Ask(ctx, c, turn)
}

// world is a private terminal server, and crews in its panes.
type world struct {
	*testing.T
	fleet   *fleet.Fleet
	journal *journal
	o       *orchestrator.Orchestrator
	dir     string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	server := enginetest.Private(t)
	engine := fleettest.EngineOf(t, server, "")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	w := &world{T: t, journal: &journal{}, dir: dir}
	w.fleet = fleet.Open(fleet.Options{
		Engine: engine, Kinds: fleettest.Kinds(t, fstest.MapFS{"scripted.toml": {Data: []byte(kind)}}), Self: self,
		Environ: server.Environ, Runtime: filepath.Join(server.Dir, "run"), Journal: w.journal,
	})
	records, err := store.Open(t.Context(), filepath.Join(dir, "cupola.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(w.fleet.Close(), records.Close()); err != nil {
			t.Error(err)
		}
	})
	w.o = &orchestrator.Orchestrator{
		Crews: store.CrewsIn(records), Now: time.Now,
		Directory: orchestrator.Directory{Dir: filepath.Join(dir, "crews")},
		OpenStage: func(ctx context.Context, c *crew.Crew) (orchestrator.Stage, error) {
			stage, err := panes.Open(ctx, c, panes.Options{Fleet: w.fleet, Prompt: w.journal.prompt, Now: time.Now})
			return scripts{stage}, err
		},
	}
	return w
}

// crewOf puts a crew on record with the agents a.one and b.two, which do what their briefs say.
func (w *world) crewOf(limit time.Duration, one, two string) *crew.Crew {
	w.Helper()
	c := &crew.Crew{Prompt: "the task", Dir: w.dir, Stage: crew.Panes, Limits: crew.DefaultLimits()}
	c.Limits.TurnTimeout = limit
	var err error
	if c.Members, err = crew.NewMembers([]crew.MemberSpec{
		{Role: "a.one", Backend: "scripted", Brief: one}, {Role: "b.two", Backend: "scripted", Brief: two},
	}, nil); err != nil {
		w.Fatal(err)
	}
	if err := w.o.New(w.Context(), c); err != nil {
		w.Fatal(err)
	}
	return c
}

// run runs a crew, and returns it with its messages, one line each.
func (w *world) run(id string) (*crew.Crew, []string) {
	w.Helper()
	c, err := w.o.Run(w.Context(), id, orchestrator.More{}, nil)
	if err != nil {
		w.Fatal(err)
	}
	events, err := w.o.Crews.Events(w.Context(), id, 0)
	if err != nil {
		w.Fatal(err)
	}
	var lines []string
	for _, e := range events {
		if e.Type == crew.Message {
			first, _, _ := strings.Cut(e.Text, "\n")
			lines = append(lines, fmt.Sprintf("%d %s > %s: %s", e.Turn, e.From, e.To, first))
		}
	}
	return c, lines
}

// shown returns the text of a pane.
func (w *world) shown(address string) string {
	tails, err := w.fleet.Output.Tail(w.Context(), output.Request{Target: resolve.Target{Session: address}, Lines: 100})
	if err != nil {
		return err.Error()
	}
	return strings.Join(tails[0].Lines, "\n")
}

// until waits until a pane shows a text.
func (w *world) until(address, text string) {
	w.Helper()
	enginetest.Eventually(w.T, enginetest.Timeout, func() bool { return strings.Contains(w.shown(address), text) },
		func() string { return w.shown(address) })
}

func TestAgentsInPanesWriteToEachOther(t *testing.T) {
	w := newWorld(t)
	c := w.crewOf(0, "say @b.two: say @a.one: say @user: done", "")
	c, lines := w.run(c.ID)
	want := []string{
		"0 a.one > b.two: say @a.one: say @user: done", "1 b.two > a.one: say @user: done", "2 a.one > user: done",
	}
	if c.State != crew.Completed || c.Reason != crew.Converged || !slices.Equal(lines, want) {
		t.Errorf("%s %s %s: %q\n%s", c.State, c.Reason, c.Error, lines, w.shown(c.Group()+".1"))
	}
	for i, m := range c.Members {
		if m.Session != fmt.Sprintf("crew-%s.%d", c.ID, i+1) || m.CostKnown {
			t.Errorf("%+v", m)
		}
	}
	// The panes stay, and the agents are named as the members.
	snapshot, err := w.fleet.Overview.Snapshot(t.Context(), observe.View{})
	if err != nil || len(snapshot.Sessions) != 1 || snapshot.Sessions[0].Name != "crew-"+c.ID {
		t.Fatalf("%+v, %v", snapshot, err)
	}
	if p := snapshot.Sessions[0].Panes; len(p) != 2 || p[0].Agent.Name != "a-one" || p[1].Agent.Name != "b-two" {
		t.Errorf("%+v", p)
	}
}

func TestACrewWaitsWhileAnAgentWaitsForAPerson(t *testing.T) {
	w := newWorld(t)
	c := w.crewOf(0, "approve say @user: allowed", "")
	answered := make(chan error, 1)
	go func() {
		address := c.Group() + ".1"
		for w.Context().Err() == nil && !strings.Contains(w.shown(address), scripted.TitleApproval) {
			_ = core.Sleep(w.Context(), 50*time.Millisecond)
		}
		_, err := w.fleet.Sender.Keys(w.Context(), deliver.KeysRequest{
			Target: resolve.Target{Session: address}, Keys: []string{"1"},
		})
		answered <- err
	}()
	c, lines := w.run(c.ID)
	if err := <-answered; err != nil || c.Reason != crew.Converged ||
		!slices.Equal(lines, []string{"0 a.one > user: allowed"}) {
		t.Errorf("%v: %s %s: %q", err, c.Reason, c.Error, lines)
	}
}

func TestWhatAnAgentWaitsForIsReportedWhenItsTimeIsOver(t *testing.T) {
	w := newWorld(t)
	c := w.crewOf(8*time.Second, "tool true approve tool make", "say @user: ready")
	c, lines := w.run(c.ID)
	one := c.Members[0]
	if one.Status != crew.Dead || one.ErrorCode != core.Timeout ||
		one.Error != "after 8s it waits for an approval (make)" {
		t.Errorf("%s %q\n%s", one.ErrorCode, one.Error, w.shown(c.Group()+".1"))
	}
	if !slices.Equal(lines, []string{"0 b.two > user: ready"}) {
		t.Errorf("%q", lines)
	}
}

func TestAnAgentThatEndsIsAskedNoMore(t *testing.T) {
	w := newWorld(t)
	c := w.crewOf(0, "say @b.two: say @a.one: say @user: done", "crash")
	c, lines := w.run(c.ID)
	two := c.Members[1]
	if two.Status != crew.Dead || !slices.Contains([]core.Code{core.NotReady, core.PaneNotFound}, two.ErrorCode) {
		t.Errorf("%s: %s %q", two.Status, two.ErrorCode, two.Error)
	}
	if len(lines) != 2 || !strings.HasPrefix(lines[1], "0 crew > a.one: b.two failed") {
		t.Errorf("%q", lines)
	}
}

// cut runs a crew until a pane shows a text, and then as if its process were stopped.
func (w *world) cut(c *crew.Crew, pane int, text string) {
	w.Helper()
	ctx, stop := context.WithCancel(w.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if _, err := w.o.Run(ctx, c.ID, orchestrator.More{}, nil); !core.AsError(err).HasCode(core.Cancelled) {
			w.Errorf("it ended with %v", err)
		}
	})
	w.until(core.AddressOf(c.Group(), pane).String(), text)
	stop()
	running.Wait()
}

func TestAnAnswerThatWasGivenMeanwhileIsNotAskedForAgain(t *testing.T) {
	w := newWorld(t)
	c := w.crewOf(0, "slow 8 say @user: done", "")
	w.cut(c, 1, scripted.VerbThinking)
	w.until(c.Group()+".1", "@user: done")
	asked := w.journal.sent()
	c, lines := w.run(c.ID)
	if c.Reason != crew.Converged || !slices.Equal(lines, []string{"0 a.one > user: done"}) {
		t.Errorf("%s %s: %q\n%s", c.Reason, c.Error, lines, w.shown(c.Group()+".1"))
	}
	if again := w.journal.sent(); len(asked) != 2 || !slices.Equal(again, asked) {
		t.Errorf("sent first %q, and then %q", asked, again)
	}
}

func TestAnAgentWhosePaneIsGoneIsStartedAgainAndTold(t *testing.T) {
	w := newWorld(t)
	c := w.crewOf(0, "say @b.two: slow 30", "say @a.one: say @user: done")
	w.cut(c, 2, "@a.one says: slow 30")
	w.until(c.Group()+".2", scripted.VerbThinking)
	if _, err := w.fleet.Launcher.Kill(t.Context(),
		lifecycle.KillRequest{Target: resolve.Target{Session: c.Group() + ".2"}}); err != nil {
		t.Fatal(err)
	}
	c, lines := w.run(c.ID)
	if c.Reason != crew.Converged || c.Members[1].Session != c.Group()+".3" {
		t.Errorf("%s %s: %q, %+v", c.Reason, c.Error, lines, c.Members)
	}
	told := func(line string) bool {
		return strings.HasPrefix(line, "b-two: [You were started again") && strings.Contains(line, "[You answered:]") &&
			strings.HasSuffix(line, "@a.one says: slow 30")
	}
	if sent := w.journal.sent(); !slices.ContainsFunc(sent, told) {
		t.Errorf("it was told %q", sent)
	}
}
