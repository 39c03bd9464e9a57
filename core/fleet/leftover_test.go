package fleet_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/enginetest"
	"cupola/core/fleet"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/terminal"
)

// killedSendVariable says what a process sends and when it is killed, as JSON of a killedSend.
const killedSendVariable = "CUPOLA_TEST_KILLED_SEND"

// killedSend is a process that sends a prompt and is killed meanwhile.
type killedSend struct {
	Socket, Runtime, Journal, Text string
	// After is how long after the paste it is killed; negative is right before Enter.
	After time.Duration
}

// TestKilledSendProcess is not a test: started by the tests below, it sends a prompt and
// is killed before it is done.
func TestKilledSendProcess(t *testing.T) {
	t.Parallel()
	text := os.Getenv(killedSendVariable)
	if text == "" {
		t.Skip("only for processes that other tests start")
	}
	var m killedSend
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	server := fleettest.EngineAt(t, m.Socket)
	f := fleet.Open(fleet.Options{
		Engine: killingEngine{server, m.After}, Kinds: fleettest.Kinds(t, fleettest.StubKind), Runtime: m.Runtime,
		Self: os.Args[0], Journal: &fileJournal{path: m.Journal},
	})
	_, err := f.Sender.Send(t.Context(), deliver.Request{Target: resolve.Target{Session: "api.1"}, Text: m.Text})
	t.Log(err)
}

// killingEngine is an engine that kills its process while a prompt is typed.
type killingEngine struct {
	engine.Engine
	after time.Duration
}

func killSelf() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) }

func (e killingEngine) Paste(ctx context.Context, pane core.PaneID, text []byte) error {
	if e.after >= 0 {
		time.AfterFunc(e.after, killSelf)
	}
	return e.Engine.Paste(ctx, pane, text)
}

func (e killingEngine) Press(ctx context.Context, pane core.PaneID, keys ...string) error {
	if e.after < 0 && slices.Contains(keys, "Enter") {
		killSelf()
	}
	return e.Engine.Press(ctx, pane, keys...)
}

// fileJournal is a journal of prompts that outlives its process: a file of lines.
type fileJournal struct {
	fleet.Journal
	mu   sync.Mutex
	path string
}

type journalLine struct {
	Prompt *core.Prompt
	ID     string
	Ended  []core.Delivery
}

func (p *fileJournal) write(line journalLine) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	file, err := os.OpenFile(p.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	return json.NewEncoder(file).Encode(line)
}

func (p *fileJournal) Sending(_ context.Context, prompt core.Prompt) error {
	return p.write(journalLine{Prompt: &prompt})
}

func (p *fileJournal) Sent(_ context.Context, id string, ended []core.Delivery) error {
	return p.write(journalLine{ID: id, Ended: ended})
}

func (p *fileJournal) Asked(context.Context, core.PaneRef, time.Time) ([]core.TakenPrompt, error) {
	return nil, nil
}

func (p *fileJournal) Unconfirmed(context.Context, core.PaneRef, time.Time) ([]string, error) {
	return nil, nil
}

func (p *fileJournal) Newest(context.Context, time.Time) (map[core.PaneID]core.TakenPrompt, error) {
	return nil, nil
}

func (p *fileJournal) Unfinished(_ context.Context, pane core.PaneRef) ([]core.Prompt, error) {
	data, err := os.ReadFile(p.path)
	if err != nil {
		return nil, err
	}
	var open []core.Prompt
	for text := range bytes.Lines(data) {
		var line journalLine
		if err := json.Unmarshal(text, &line); err != nil {
			return nil, err
		}
		if line.Prompt != nil {
			open = append(open, *line.Prompt)
		} else {
			open = slices.DeleteFunc(open, func(p core.Prompt) bool { return p.ID == line.ID })
		}
	}
	slices.Reverse(open)
	return open, nil
}

// killSender has a process send a text to api.1 and be killed.
func killSender(t *testing.T, s *loggedFleet, journal string, after time.Duration, text string) {
	t.Helper()
	words, err := json.Marshal(killedSend{
		Socket: s.tmux.Socket, Runtime: s.options.Runtime, Journal: journal, Text: text, After: after,
	})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledSendProcess$", "-test.v")
	cmd.Env = append(slices.Clone(s.tmux.Environ), killedSendVariable+"="+string(words))
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err == nil || cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Logf("it was not killed (%v): %s", err, said.String())
	}
}

// moments are when senders are killed: right after the paste, right before Enter, and
// at random in between.
func moments(count int) []time.Duration {
	list := []time.Duration{0, -1}
	for len(list) < count {
		list = append(list, rand.N(150*time.Millisecond))
	}
	return list
}

func TestInputOfKilledSendNeverMergesWithNextPrompt(t *testing.T) {
	t.Parallel()
	t.Run("agent", func(t *testing.T) {
		t.Parallel()
		s := play(t, 1, "--speed", "0", "--settle", "120ms")
		journal := t.TempDir() + "/journal"
		s.reopen(func(o *fleet.Options) { o.Journal = &fileJournal{path: journal} })
		var want []string
		long := strings.Repeat("\na line of more words", 30)
		for i, after := range moments(10) {
			killed, next := fmt.Sprintf("say killed %d", i), fmt.Sprintf("say next %d", i)
			if i%2 == 1 {
				killed += long
			}
			killSender(t, s, journal, after, killed)
			d := s.must(t, core.Delivered, deliver.Request{Text: next})
			s.idle(t, "api.1")
			got := s.prompts(t)
			if len(got) > len(want) && got[len(want)] == killed {
				want = append(want, killed) // it had pressed Enter
			} else if after < 0 && !strings.Contains(d.Saw(), "ended before Enter") {
				t.Errorf("killed after %s: the evidence does not tell: %+v", after, d)
			}
			want = append(want, next)
			s.onlyPrompts(t, want...)
		}
	})
	for _, name := range []string{"user and folder", "a theme", "sh", "cat"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := lined(t, name)
			journal := t.TempDir() + "/journal"
			s.reopen(func(o *fleet.Options) { o.Journal = &fileJournal{path: journal} })
			for i, after := range moments(7) {
				killed, _ := lineFor(name, fmt.Sprintf("killed%d", i))
				killSender(t, s, journal, after, killed)
				sendLine(t, s, name, fmt.Sprintf("next%d", i), deliver.Request{})
			}
			shown := s.screen(t, "api.1")
			scan := bufio.NewScanner(strings.NewReader(shown))
			for scan.Scan() {
				if row := scan.Text(); strings.Contains(row, "killed") && strings.Contains(row, "next") {
					t.Errorf("%q is merged; it shows\n%s", row, shown)
				}
			}
		})
	}
}

func TestForeignDraftIsNoLeftover(t *testing.T) {
	t.Parallel()
	s := play(t, 1, "--speed", "0")
	old := core.NewPrompt("", "say what was killed before", core.PaneRef{Pane: terminalOf(t, s).Pane.ID})
	old.ID = "old"
	d := &fleettest.Journal{Prompts: []core.Prompt{*old}}
	s.reopen(func(o *fleet.Options) { o.Journal = d })
	for _, draft := range []string{"say", "say what was killed before, and more", "mine"} {
		typeDraft(t, s, draft)
		if got := s.must(t, core.Refused, deliver.Request{Text: "say next"}); got.Why != terminal.WhyDraft {
			t.Errorf("%q: %+v", draft, got)
		}
		s.must(t, core.Delivered, deliver.Request{Text: "say next", ReplaceDraft: true})
		s.idle(t, "api.1")
	}
	for _, draft := range []string{"say what was killed before", "say what was killed"} {
		d.Mu.Lock()
		d.Ended = nil
		d.Mu.Unlock()
		typeDraft(t, s, draft)
		got := s.must(t, core.Delivered, deliver.Request{Text: "say next"})
		if !strings.Contains(got.Saw(), "the prompt old") {
			t.Errorf("%q: %+v", draft, got)
		}
		s.idle(t, "api.1")
		if ended := d.Ended["old"]; len(ended) != 1 || ended[0].Outcome != core.Unconfirmed {
			t.Errorf("%+v", ended)
		}
	}
}

// typeDraft types a draft into api.1 as a person does.
func typeDraft(t *testing.T, s *loggedFleet, text string) {
	t.Helper()
	if err := terminalOf(t, s).Paste(t.Context(), text); err != nil {
		t.Fatal(err)
	}
	enginetest.Eventually(t, testTimeout, func() bool { return strings.Contains(s.screen(t, "api.1"), text) }, nil)
}
