package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cupola/core/engine"
)

// habits are agents that speak the Agent Client Protocol, each with other habits of its own.
var habits = []struct{ kind, faults string }{
	// A second prompt cancels the running turn, and a refused tool call stays open.
	{"hasty", "busy-cancels,open-calls,reversed"},
	// Each session can be loaded, and is empty if it is unknown; the first option allows for ever.
	{"lavish", "empty-load,no-resume,always-first,error-turn"},
	// It speaks version 2 of the protocol alone, and sends what was not asked for.
	{"modern", "draft,stray,reversed"},
}

// TestKindsWithoutRulesForAScreenAreDriven works with three kinds that are nothing but a command, by send, wait, answer
// and reply alone, on both engines.
func TestKindsWithoutRulesForAScreenAreDriven(t *testing.T) {
	t.Parallel()
	for _, habit := range habits {
		for _, by := range []string{engine.Own, engine.Tmux} {
			t.Run(habit.kind+"/"+by, func(t *testing.T) {
				t.Parallel()
				m := newMachine(t)
				log, records := filepath.Join(m.tmux.Dir, "log"), filepath.Join(m.tmux.Dir, "records", "said")
				if err := os.Mkdir(filepath.Dir(records), 0o700); err != nil {
					t.Fatal(err)
				}
				m.must("kind", "new", habit.kind, "--acp=cupola scripted --acp --speed=0.2 --fault="+habit.faults+
					" --log="+log+" --records="+records)
				if strings.Contains(habit.faults, "draft") {
					m.asksForTheDraft(habit.kind)
				}
				m.must("spawn", "api", "--agents="+habit.kind+"=1", "--wait-ready", "--engine="+by)
				d := driven{m, log}
				d.talks()
				d.asks("--approve", "make", "o0")
				d.asks("--deny", "rm", "o1")
				d.asks("--choose=2", "", "")
				d.queues()
				if there(filepath.Join(filepath.Dir(records), "allowed-for-ever")) {
					t.Error("it was allowed something for ever")
				}
			})
		}
	}
}

// driven is an agent at api.1 with its log.
type driven struct {
	*machine
	log string
}

// events returns the texts of the events of a name in the log.
func (d driven) events(name string) (texts []string) {
	text, err := os.ReadFile(d.log)
	if err != nil {
		d.t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var e struct{ Event, Text string }
		if json.Unmarshal(line, &e) == nil && e.Event == name {
			texts = append(texts, e.Text)
		}
	}
	return texts
}

// said returns the last message of the agent, whose turn must be over.
func (d driven) said() string {
	d.t.Helper()
	var out struct {
		Replies []struct {
			Text, Source string
			Complete     bool
		}
	}
	if text := d.callJSON("reply", "api.1"); json.Unmarshal([]byte(text), &out) != nil || len(out.Replies) != 1 ||
		out.Replies[0].Source != "protocol" || !out.Replies[0].Complete {
		d.t.Fatalf("no reply by protocol: %s", text)
	}
	return strings.TrimSpace(out.Replies[0].Text)
}

func (d driven) talks() {
	d.t.Helper()
	for _, word := range []string{"one", "two"} {
		out := d.callJSON("send", "api.1", "say "+word, "--wait", "--timeout=1m")
		if said := d.said(); said != word || !strings.Contains(out, `"outcome":"delivered"`) {
			d.t.Errorf("it said %q, not %q: %.400s", said, word, out)
		}
	}
}

// asks has the agent ask, about a command or, without one, a question, and answers. The agent must get the option, if
// that is given.
func (d driven) asks(act, command, option string) {
	d.t.Helper()
	prompt := "ask"
	if command != "" {
		prompt = "approve tool " + command
	}
	d.must("send", "api.1", prompt)
	d.must("wait", "api.1", "--for=waiting", "--timeout=1m")
	var shown struct {
		Answers []struct{ Options []struct{ Label string } }
	}
	text := d.callJSON("answer", "api.1", "--dry-run")
	if json.Unmarshal([]byte(text), &shown) != nil || len(shown.Answers) != 1 || len(shown.Answers[0].Options) < 2 {
		d.t.Fatalf("%s: no options: %.600s", prompt, text)
	}
	if out := d.callJSON("answer", "api.1", act); !strings.Contains(out, `"resolved":true`) {
		d.t.Errorf("%s %s: %.600s", prompt, act, out)
	}
	d.must("wait", "api.1", "--timeout=1m")
	if got := d.events("answer"); option != "" && (len(got) == 0 || got[len(got)-1] != option) {
		d.t.Errorf("%s %s: the agent got %q", prompt, act, got)
	}
}

// queues sends a prompt during a turn: both turns run to their end, one after the other.
func (d driven) queues() {
	d.t.Helper()
	d.must("send", "api.1", "slow 10 say first")
	d.must("wait", "api.1", "--for=working", "--timeout=1m")
	out := d.callJSON("send", "api.1", "say second")
	if !strings.Contains(out, `"outcome":"queued"`) {
		d.t.Errorf("during a turn: %.400s", out)
	}
	d.must("wait", "api.1", "--timeout=1m")
	d.must("wait", "api.1", "--timeout=1m")
	prompts := d.events("prompt")
	last := prompts[len(prompts)-2:]
	if said := d.said(); said != "second" || !slices.Equal(last, []string{"slow 10 say first", "say second"}) {
		d.t.Errorf("it said %q of %q", said, prompts)
	}
	if ends := d.events("end"); slices.Contains(ends, "cancelled") {
		d.t.Errorf("the first turn was cancelled: %q", ends)
	}
}

// asksForTheDraft changes the file of a kind so that version 2 of the protocol is asked for.
func (m *machine) asksForTheDraft(kind string) {
	m.t.Helper()
	path := filepath.Join(m.home, ".config", "cupola", "agents", kind+".toml")
	text, err := os.ReadFile(path)
	if err != nil {
		m.t.Fatal(err)
	}
	text = bytes.Replace(text, []byte("[acp]\n"), []byte("[acp]\ndraft = true\n"), 1)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		m.t.Fatal(err)
	}
}
