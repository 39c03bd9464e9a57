package effect

import (
	"context"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/verb/agents"
	verbs "cupola/core/verb/history"
	"cupola/tui/intent"
	"cupola/tui/screen"
	"cupola/tui/screen/history"
	"cupola/tui/screen/scrollback"
)

// fakeHosts is one other host, gpu1.
type fakeHosts struct{ Hosts }

func (fakeHosts) Address(text string) core.Address { return core.ParseAddress(text) }

// remotePane is a pane of gpu1.
var remotePane = intent.Target{Session: "gpu1/api", Pane: "gpu1/%3", Address: "gpu1/api.1"}

func TestAFailureThereIsReportedAndThePromptIsKept(t *testing.T) {
	door := &fakeDoor{err: &core.Error{Code: core.NetworkError, Message: "host gpu1 is down"}}
	e := &Effects{ctx: t.Context(), door: door, others: otherHosts{fakeHosts{}, door}}
	done := e.Do(send(remotePane, "hello"))().(Done)
	if !core.AsError(done.Err).HasCode(core.NetworkError) || done.Said != "" || door.called[0] != "SendIn gpu1/%3" {
		t.Errorf("%+v of %q", done, door.called)
	}
}

func TestQuestionsAndScreensOfOtherHostsAreReadThere(t *testing.T) {
	door := &fakeDoor{answers: map[string]Answer{
		"AnswerIn": answerOf[agents.AnswerOut](t, "",
			`{"answers":[{"before_reason":"approval","asked":["Run rm?"],"options":[{"n":1,"label":"Yes"}]}]}`),
		"TailIn": answerOf[agents.TailOut](t, "", `{"panes":[{"lines":["a"]}]}`),
		"PromptsIn": answerOf[verbs.PromptsOut](t, "",
			`{"prompts":[{"id":"1","text":"hello"}],"pagination":{"total":7}}`),
		"KeysIn": {Value: agents.KeysOut{}},
	}}
	e := &Effects{ctx: t.Context(), others: otherHosts{fakeHosts{}, door}}
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
	if msg := e.Do(intent.Press{Target: remotePane, Keys: "a b"})(); msg != nil {
		t.Errorf("%+v", msg)
	}
	if called := strings.Join(door.called, "; "); called !=
		"AnswerIn gpu1/%3; TailIn gpu1/%3; PromptsIn; KeysIn gpu1/%3" {
		t.Errorf("called %s", called)
	}
}

// What reads files is given this machine's sessions alone.
func TestFilesOfOtherHostsAreNotReadHere(t *testing.T) {
	var seen *core.Snapshot
	e := &Effects{ctx: t.Context(), others: otherHosts{hosts: fakeHosts{}}}
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
