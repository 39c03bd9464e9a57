package effect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/core/fleet/deliver"
	"cupola/core/verb/agents"
	"cupola/core/verb/registry"
	"cupola/core/verb/sessions"
	"cupola/tui/intent"
)

// fakeDoor is a door with prepared answers by the types of inputs. It notes what is called, and where.
type fakeDoor struct {
	Door
	answers map[string]Answer
	called  []string
	err     error
}

func (d *fakeDoor) Call(_ context.Context, at registry.Target, input any) (Answer, error) {
	name := reflect.TypeOf(input).Name()
	called := fmt.Sprintf("%s %s %s", name, at.Session, strings.Join(at.Panes, ","))
	d.called = append(d.called, strings.TrimSpace(called))
	return d.answers[name], d.err
}

// answerOf is the answer of a verb, from its JSON.
func answerOf[Out any](t *testing.T, said, text string) Answer {
	t.Helper()
	var out Out
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return Answer{Said: said, Value: out}
}

func TestAnActIsCalledWhereItsTargetsAre(t *testing.T) {
	session := intent.Target{Session: "web", Address: "web", Identity: "$2@17"}
	one := intent.Target{Session: "web", Pane: "%7", Address: "web.2", Identity: "$2@17.%7"}
	two := intent.Target{Session: "web", Pane: "%8", Address: "web.3", Identity: "$2@17.%8"}
	away := intent.Target{Session: "gpu1/api", Pane: "gpu1/%3", Address: "gpu1/api.1", Identity: "gpu1/$1@9.%3"}
	for _, test := range []struct {
		at   []intent.Target
		want string
	}{
		{nil, "KillIn"},
		{[]intent.Target{session}, "KillIn $2@17"},
		{[]intent.Target{one}, "KillIn $2@17.%7"},
		{[]intent.Target{{Session: "web", Pane: "%7"}}, "KillIn %7"},
		{[]intent.Target{one, two}, "KillIn $2@17 %7,%8"},
		{[]intent.Target{one, away}, "KillIn  $2@17.%7,gpu1/$1@9.%3"},
		{[]intent.Target{away}, "KillIn gpu1/$1@9.%3"},
	} {
		door := &fakeDoor{}
		e := &Effects{ctx: t.Context(), door: door}
		e.Do(intent.Act{Input: sessions.KillIn{}, At: test.at})()
		if len(door.called) != 1 || door.called[0] != test.want {
			t.Errorf("called %q, want %q", door.called, test.want)
		}
	}
}

func TestPanesThatDidNotTakeThePromptAreReported(t *testing.T) {
	door := &fakeDoor{err: &core.Error{Code: core.DeliveryFailed}, answers: map[string]Answer{
		"SendIn": answerOf[agents.SendOut](t, "api.1 delivered; api.2 refused: no", `{"deliveries":[
			{"session":"api","ordinal":1,"pane":"%1","outcome":"delivered"},
			{"session":"api","ordinal":2,"pane":"%2","outcome":"refused"}]}`),
	}}
	e := &Effects{ctx: t.Context(), door: door}
	done := e.Do(send(whole("api"), "x"))().(Done)
	want := intent.Target{Session: "api", Pane: "%2", Address: "api.2"}
	if done.Err == nil || done.Said != door.answers["SendIn"].Said || len(done.Unsent) != 1 || done.Unsent[0] != want {
		t.Errorf("%+v", done)
	}
}

// lockedDoor is a fakeDoor for acts that run at once.
type lockedDoor struct {
	mu sync.Mutex
	fakeDoor
}

func (d *lockedDoor) Call(ctx context.Context, at registry.Target, input any) (Answer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.fakeDoor.Call(ctx, at, input)
}

func TestSeveralActsAreReportedTogether(t *testing.T) {
	door := &lockedDoor{fakeDoor: fakeDoor{answers: map[string]Answer{"SendIn": {Said: "delivered"}}}}
	e := &Effects{ctx: t.Context(), door: door}
	both := intent.Each{Acts: []intent.Act{send(whole("api"), "x"), send(whole("web"), "x")}}
	if done := e.Do(both)().(Done); done.Said != "delivered, delivered" || done.Err != nil || len(door.called) != 2 {
		t.Errorf("%+v", done)
	}
	door.answers, door.err = nil, errors.New("broken")
	done := e.Do(both)().(Done)
	if !errors.Is(done.Err, door.err) || len(done.Unsent) != 2 || done.Said != "broken, broken" {
		t.Errorf("%+v", done)
	}
}

func TestWhatIsCopiedIsCounted(t *testing.T) {
	copied, broken := "", error(nil)
	e := &Effects{ctx: t.Context(), clip: func(text string) error {
		copied = text
		return broken
	}}
	if done := e.Do(intent.CopyText{Text: "one\ntwo"})().(Done); done.Said != "copied 2 lines" || copied != "one\ntwo" {
		t.Errorf("%+v, %q", done, copied)
	}
	broken = errors.New("broken")
	if done := e.Do(intent.CopyText{Text: "x"})().(Done); done.Said != "" || !errors.Is(done.Err, broken) {
		t.Errorf("%+v", done)
	}
}

func TestKeysArePressedInTheirOrder(t *testing.T) {
	var pressed []string
	press := func(_ context.Context, request deliver.KeysRequest) error {
		pressed = append(pressed, request.Target.Session+":"+strings.Join(request.Keys, ""))
		return nil
	}
	one, two := intent.Target{Pane: "%1"}, intent.Target{Pane: "%2"}
	var keys typist
	var commands []tea.Cmd
	for _, w := range []intent.Press{{Target: one, Keys: "a b"}, {Target: one, Keys: "c"}, {Target: two, Keys: "d"}} {
		commands = append(commands, keys.add(t.Context(), w, press))
	}
	for i := len(commands) - 1; i >= 0; i-- { // whichever command runs first
		if msg := commands[i](); msg != nil {
			t.Errorf("got %+v", msg)
		}
	}
	if got := strings.Join(pressed, " "); got != "%1:abc %2:d" {
		t.Errorf("pressed %s", got)
	}
}

// replied is the last reply of an agent, and what is missing of it.
type replied struct{ text, missing string }

func (r replied) Replied() (text, missing string) { return r.text, r.missing }

func TestAReplyIsCopiedWholeOrItsLastCode(t *testing.T) {
	const two = "Run:\n```sh\ngo vet ./...\n```\n\n1. so:\n\n   ~~~~\n   go test ./...\n     -v\n   ~~~\n   ~~~~\nDone."
	for name, test := range map[string]struct {
		reply  replied
		code   bool
		copied string
		said   string
	}{
		"all of it": {replied{"one\ntwo\n\n", ""}, false, "one\ntwo\n", "copied 2 lines"},
		"while it is written": {
			replied{"one", "the turn runs"}, false, "one\n", "copied 1 line; it is not complete: the turn runs",
		},
		"its last code":     {replied{two, ""}, true, "go test ./...\n  -v\n~~~\n", "copied 3 lines"},
		"code that is open": {replied{"x\n```go\nfunc", ""}, true, "func\n", "copied 1 line"},
		"no code":           {replied{"a `word`", ""}, true, "", ""},
		"nothing":           {replied{}, false, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			copied := ""
			door := &fakeDoor{answers: map[string]Answer{"ReplyIn": {Value: test.reply}}}
			e := &Effects{ctx: t.Context(), door: door, clip: func(text string) error {
				copied = text
				return nil
			}}
			done := e.Do(intent.CopyReply{At: whole("api"), Code: test.code})().(Done)
			if copied != test.copied || done.Said != test.said || (done.Err != nil) != (test.said == "") {
				t.Errorf("%+v, %q", done, copied)
			}
		})
	}
}
