package effect

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"cupola/core"
	"cupola/tui/intent"
	"cupola/tui/screen"
	"cupola/tui/screen/history"
	"cupola/tui/screen/scrollback"
)

// fakeHosts is one other host, gpu1, with prepared answers by verb. It notes what is called.
type fakeHosts struct {
	Hosts
	answers map[string]string
	called  []string
	err     error
}

func (f *fakeHosts) Split(address string) (host, rest string, is bool) {
	rest, is = strings.CutPrefix(address, "gpu1/")
	return "gpu1", rest, is
}

func (f *fakeHosts) Call(_ context.Context, host, verb string, input map[string]any, into any) error {
	text, err := json.Marshal(input)
	if err != nil {
		return err
	}
	f.called = append(f.called, fmt.Sprintf("%s %s %s", host, verb, text))
	if answer := f.answers[verb]; answer != "" {
		if err := json.Unmarshal([]byte(answer), into); err != nil {
			return err
		}
	}
	return f.err
}

// remotePane is a pane of gpu1.
var remotePane = intent.Target{Session: "gpu1/api", Pane: "gpu1/%3", Address: "gpu1/api.1"}

// Whatever is asked of another host is asked there, of its own panes.
func TestActsOnOtherHostsAreCalledThere(t *testing.T) {
	remoteSession := intent.Target{Session: "gpu1/api", Address: "gpu1/api"}
	for _, c := range []struct {
		wanted intent.Intent
		call   string
		said   string
	}{
		{
			intent.Send{Target: remotePane, Text: "hello"},
			`send {"command":false,"msg":"hello","session":"%3"}`, "gpu1/api.1 delivered",
		},
		{
			intent.Answer{Target: remotePane, Approve: true, Expect: core.ReasonApproval, Showing: "rm"},
			`answer {"approve":true,"expect":"approval","session":"%3","showing":"rm"}`, "gpu1/api.1 was answered: Yes",
		},
		{intent.Interrupt{Target: remotePane}, `interrupt {"session":"%3"}`, "interrupted gpu1/api.1"},
		{intent.Kill{Target: remoteSession}, `kill {"session":"api","yes":true}`, "ended gpu1/api"},
		{
			intent.Restart{Target: remotePane, Fresh: true},
			`restart-pane {"fresh":true,"session":"%3","yes":true}`,
			"restarted gpu1/api.1",
		},
		{
			intent.Rename{From: "gpu1/api", To: "gpu1/web"},
			`rename {"session":"api","to":"web"}`,
			"renamed gpu1/api to gpu1/web",
		},
		{
			intent.Label{Target: remotePane, Label: "x"},
			`label {"clear":false,"label":"x","session":"%3"}`,
			"labelled gpu1/api.1 x",
		},
		{
			intent.Spawn{Session: "gpu1/new", Agents: []string{"cc=2"}, Dir: "/src"},
			`spawn {"agents":["cc=2"],"dir":"/src","session":"new","worktree":false}`, "started gpu1/new",
		},
		{intent.Copy{Pane: "gpu1/%3"}, `tail {"ansi":false,"lines":0,"session":"%3"}`, "copied 2 lines"},
	} {
		hosts := &fakeHosts{answers: map[string]string{
			"send":   `{"deliveries":[{"session":"gpu1/api","ordinal":1,"outcome":"delivered","evidence":[]}]}`,
			"answer": `{"answers":[{"chosen":"Yes","resolved":true}]}`,
			"tail":   `{"panes":[{"lines":["a","b"]}]}`,
		}}
		e := &Effects{
			ctx: t.Context(), elsewhere: elsewhere{hosts}, clip: func(string) error { return nil },
		}
		done := e.Do(c.wanted)().(Done)
		if done.Err != nil || done.Said != c.said || len(hosts.called) != 1 || hosts.called[0] != "gpu1 "+c.call {
			t.Errorf("%T: %q, %v; called %q", c.wanted, done.Said, done.Err, hosts.called)
		}
	}
}

func TestAFailureThereIsToldAndThePromptIsKept(t *testing.T) {
	hosts := &fakeHosts{err: &core.Error{Code: core.NetworkError, Message: "host gpu1 is down"}}
	e := &Effects{ctx: t.Context(), elsewhere: elsewhere{hosts}}
	done := e.Do(intent.Send{Target: remotePane, Text: "hello"})().(Done)
	if !core.AsError(done.Err).HasCode(core.NetworkError) || len(done.Unsent) != 1 || done.Unsent[0] != remotePane {
		t.Errorf("%+v", done)
	}
}

func TestQuestionsAndScreensOfOtherHostsAreReadThere(t *testing.T) {
	hosts := &fakeHosts{answers: map[string]string{
		"answer":  `{"answers":[{"before_reason":"approval","asked":["Run rm?"],"options":[{"n":1,"label":"Yes"}]}]}`,
		"tail":    `{"panes":[{"lines":["a"]}]}`,
		"history": `{"prompts":[{"id":"1","text":"hello"}],"pagination":{"total":7}}`,
	}}
	e := &Effects{ctx: t.Context(), elsewhere: elsewhere{hosts}}
	asked := e.Do(intent.Question{Target: remotePane})().(Questioned)
	if asked.Reason != core.ReasonApproval || len(asked.Options) != 1 || asked.Options[0].Label != "Yes" ||
		asked.Options[0].N != 1 {
		t.Errorf("%+v", asked)
	}
	e.readers = e.ownReaders(nil, nil)
	text, err := answerTo[scrollback.Text](e, scrollback.Question{Pane: remotePane}, false)
	if err != nil || len(text.Lines) != 1 {
		t.Errorf("%+v, %v", text, err)
	}
	sent, err := answerTo[history.Sent](e, history.Question{About: remotePane}, false)
	if err != nil || len(sent.Prompts) != 1 || sent.Prompts[0].Text != "hello" || sent.Total != 7 {
		t.Errorf("%+v, %v", sent, err)
	}
}

// What reads files is given this machine's sessions alone.
func TestFilesOfOtherHostsAreNotReadHere(t *testing.T) {
	var seen *core.Snapshot
	e := &Effects{ctx: t.Context(), elsewhere: elsewhere{&fakeHosts{}}}
	look := func(_ context.Context, s *core.Snapshot) (map[core.PaneID]screen.Work, screen.Offers) {
		seen = s
		return nil, screen.Offers{}
	}
	e.readers = e.ownReaders(nil, look)
	all := &core.Snapshot{Sessions: []core.Session{{Name: "api"}, {Name: "gpu1/api"}}}
	e.Do(intent.Read{Question: screen.WorkQuestion{}, Snapshot: all})()
	if len(seen.Sessions) != 1 || seen.Sessions[0].Name != "api" || len(all.Sessions) != 2 {
		t.Errorf("seen %+v of %+v", seen, all)
	}
}
