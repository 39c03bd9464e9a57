package dashboard

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cupola/core"
	"cupola/core/verb/agents"
	"cupola/core/verb/catalog"
	"cupola/core/verb/checkpoints"
	"cupola/core/verb/crews"
	"cupola/core/verb/history"
	"cupola/core/verb/overview"
	"cupola/core/verb/registry"
	"cupola/core/verb/relays"
	"cupola/core/verb/remote"
	"cupola/core/verb/render"
	"cupola/core/verb/runs"
	"cupola/core/verb/sessions"
	"cupola/core/verb/settings"
	"cupola/core/verb/stories"
)

// made is an input with fields of its parts set.
func made[In any](set func(*In)) any {
	var in In
	set(&in)
	return in
}

// In a session, in several panes, and nowhere.
var (
	session = registry.Target{Session: "api"}
	panes   = registry.Target{Session: "$1@17", Panes: []string{"%1", "%2"}}
	nowhere registry.Target
)

// inputs are the inputs that the dashboard calls verbs with, as its forms fill them.
var inputs = []struct {
	at registry.Target
	in any
}{
	{session, agents.SendIn{Msg: "go"}},
	{registry.Target{Panes: []string{"api.1", "web.1"}}, agents.BroadcastIn{Prompt: "go"}},
	{session, agents.InterruptIn{}},
	{session, agents.ReplyIn{}},
	{panes, agents.AnswerIn{Approve: true, Expect: string(core.ReasonApproval), Showing: "rm", All: true}},
	{panes, agents.QueueIn{Msg: "go"}},
	{panes, agents.QueueIn{Move: "q1", At: 2}},
	{nowhere, agents.QueueIn{Drop: "q1"}},
	{panes, agents.AnswerIn{Allow: "go test *", For: time.Hour, Times: 5}},
	{panes, agents.AnswerIn{Revoke: "r1"}},
	{session, agents.KeysIn{Keys: []string{"a", "Enter"}}},
	{session, agents.TailIn{Lines: 7, ANSI: true}},
	{session, history.PromptsIn{}},
	{panes, sessions.KillIn{Consent: registry.Consent{Yes: true}}},
	{session, sessions.RestartIn{Consent: registry.Consent{Yes: true}}},
	{session, sessions.RenameIn{To: "web"}},
	{panes, sessions.LabelIn{Label: "review"}},
	{panes, sessions.LabelIn{OnLimit: "continue"}},
	{panes, sessions.LabelIn{Unpin: true}},
	{panes, sessions.LabelIn{Snooze: "30m"}},
	{session, sessions.LabelIn{Clear: true}},
	{nowhere, made(func(in *sessions.SpawnIn) { in.Session, in.Agents = "new", []string{"claude=2"} })},
	{nowhere, made(func(in *sessions.AddIn) { in.Session, in.Cmd = "api", []string{"top"} })},
	{nowhere, made(func(in *sessions.TreeMergeIn) { in.Name, in.Dir = "/src/cc_1", "/src/cc_1" })},
	{nowhere, sessions.WorktreeListIn{}},
	{nowhere, sessions.ChangesIn{Tree: "/src/api", Do: sessions.Commit, Message: "rename it"}},
	{nowhere, sessions.ChangesIn{
		Tree: "/src/api", Do: sessions.Stage, Paths: []string{"a,b"}, Lines: []string{"+1:x, y"},
	}},
	{nowhere, sessions.ChangesIn{
		Tree: "/src/api", Do: sessions.Discard, Paths: []string{"a"}, Consent: registry.Consent{Yes: true},
	}},
	{nowhere, sessions.ChangesIn{Tree: "/src/api", Do: sessions.OpenPR}},
	{nowhere, overview.DismissIn{Alert: "waiting:api.1"}},
	{nowhere, settings.ConfigSetIn{Key: "alerts.idle", Value: []string{"1h"}}},
	{nowhere, settings.ConfigSetIn{Key: "alerts.idle", Unset: true}},
	{nowhere, checkpoints.UndoIn{Act: "a1", Consent: registry.Consent{Yes: true}}},
	{nowhere, relays.RelayIn{Prompt: "why?", To: []string{"codex"}, Background: true}},
	{nowhere, runs.PauseIn{OfRun: runs.OfRun{Run: "r1"}}},
	{nowhere, runs.ResumeIn{OfRun: runs.OfRun{Run: "r1"}}},
	{nowhere, runs.CancelIn{OfRun: runs.OfRun{Run: "r1"}}},
	{nowhere, runs.DeleteIn{Runs: []string{"r1"}, Consent: registry.Consent{Yes: true}}},
	{nowhere, crews.CrewRunIn{Recipe: "review", Background: true}},
	{nowhere, crews.CrewSayIn{OfCrew: crews.OfCrew{Crew: "c1"}, Text: "go"}},
	{nowhere, made(func(in *stories.StoryRunIn) { in.Change, in.Background = "add-login", true })},
	{nowhere, stories.StoryFinishIn{OfRun: stories.OfRun{Run: "r1"}, Squash: true}},
}

// TestEveryActOfTheDashboardIsACallOfItsVerb goes over all inputs: each has a verb, is complete, travels to another
// host, and is refused to who may do less.
func TestEveryActOfTheDashboardIsACallOfItsVerb(t *testing.T) {
	all := catalog.All()
	inside := func(string) bool { return true }
	for _, test := range inputs {
		called := all.Taking(test.in)
		if called == nil {
			t.Errorf("no verb takes a %T", test.in)
			continue
		}
		in, err := registry.Ready(called, test.in, test.at)
		if err == nil {
			err = called.Check(in)
		}
		if err != nil {
			t.Errorf("%T: %v", test.in, err)
			continue
		}
		values := map[string]any{}
		for _, given := range registry.Values(called, in) {
			values[given.Name] = given.Value
		}
		if there, err := registry.Fill(called, values); err != nil || !reflect.DeepEqual(there, in) {
			t.Errorf("%T is another one on another host: %v\n%+v\n%+v", test.in, err, in, there)
		}
		level := registry.NeedOf(called, in, inside).Level
		if level != registry.Reads && called.Doing == "" {
			t.Errorf("%s does not say what it does while it runs", called.Name)
		}
		for _, allowed := range registry.Effects() {
			border := &registry.Border{Level: allowed, Commands: true, Asking: "a test"}
			_, err := border.Admit(called, in)
			if refused := core.AsError(err).HasCode(core.PermissionDenied); refused == level.Within(allowed) {
				t.Errorf("%s, which needs %s, is refused at %s: %v", called.Name, level, allowed, refused)
			}
		}
	}
}

// TestNoActOfTheDashboardIsForgotten reads the dashboard for inputs of verbs that the table above lacks.
func TestNoActOfTheDashboardIsForgotten(t *testing.T) {
	known := map[string]bool{}
	for _, test := range inputs {
		known[reflect.TypeOf(test.in).Name()] = true
	}
	found := 0
	err := filepath.WalkDir("../../tui", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, 0)
		if err != nil || !slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool {
			return strings.Contains(i.Path.Value, "core/verb/")
		}) {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			name, is := n.(*ast.SelectorExpr)
			if is && len(name.Sel.Name) > 2 && strings.HasSuffix(name.Sel.Name, "In") {
				found++
				if !known[name.Sel.Name] {
					t.Errorf("%s: %s is not among the inputs of this test", path, name.Sel.Name)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || found < len(known)/2 {
		t.Errorf("found %d: %v", found, err)
	}
}

// TestAnswersOfOtherHostsHaveTheirTypes goes over the answers: what a host sends is read into the verb's own type.
func TestAnswersOfOtherHostsHaveTheirTypes(t *testing.T) {
	all := catalog.All()
	for _, test := range inputs {
		called := all.Taking(test.in)
		sent := reflect.Zero(called.Output()).Interface()
		if out, is := sent.(runs.StateOut); is {
			out.Started = time.Unix(0, 0) // every run on record was started at some time
			sent = out
		}
		text, err := render.Compact(sent)
		if err != nil {
			t.Fatal(err)
		}
		object, err := (&registry.Foreign{Host: "gpu1", Catalog: all}).Document(text, called.Output())
		if err != nil {
			t.Errorf("%s: %v", called.Name, err)
			continue
		}
		answer, err := remote.Typed(called, document{object})
		if err != nil || reflect.TypeOf(answer) != called.Output() {
			t.Errorf("%s: %T: %v", called.Name, answer, err)
		}
	}
}

// document is an answer of a host.
type document struct{ render.Object }

func (d document) Document() render.Object { return d.Object }

// answered returns the words of a verb for an answer in JSON.
func answered[Out any](t *testing.T, text string) string {
	t.Helper()
	var out Out
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return registry.Said(out)
}

func TestAnswersSayInALineWhatWasDone(t *testing.T) {
	for _, test := range []struct{ want, got string }{
		{
			"1 delivered, 1 refused: api.2: a dialog is open",
			answered[agents.SendOut](t, `{"deliveries":[{"session":"api","ordinal":1,"outcome":"delivered"},
				{"session":"api","ordinal":2,"outcome":"refused","evidence":["a dialog is open"]}]}`),
		},
		{
			"4 delivered, 1 refused: web.5: it is gone",
			answered[agents.SendOut](t, `{"deliveries":[{"session":"web","ordinal":1,"outcome":"delivered"},
				{"session":"web","ordinal":2,"outcome":"delivered"},{"session":"web","ordinal":3,"outcome":"delivered"},
				{"session":"web","ordinal":4,"outcome":"delivered"},
				{"session":"web","ordinal":5,"outcome":"refused","evidence":["it is gone"]}]}`),
		},
		{"api.1 was answered: Yes", answered[agents.AnswerOut](t,
			`{"answers":[{"session":"api","ordinal":1,"chosen":"Yes","resolved":true}]}`)},
		{"api.1 was answered; it asks something else now", answered[agents.AnswerOut](t,
			`{"answers":[{"session":"api","ordinal":1,"resolved":false}]}`)},
		{"interrupted api.1", answered[agents.InterruptOut](t,
			`{"panes":[{"session":"api","ordinal":1,"changed":true},{"session":"api","ordinal":2}]}`)},
		{"nothing to interrupt in api.2", answered[agents.InterruptOut](t, `{"panes":[{"session":"api","ordinal":2}]}`)},
		{"labelled api.1 review", answered[sessions.LabelOut](t, `{"done":"labelled api.1 review"}`)},
		{"restarted api.1 in its last session", answered[sessions.RestartOut](t,
			`{"panes":[{"session":"api","ordinal":1,"session_id":"a"}],"summary":{"restarted":1,"resumed":1}}`)},
		{"restarted api.1 in a new session: it recorded none", answered[sessions.RestartOut](t,
			`{"panes":[{"session":"api","ordinal":1,"fresh":"it recorded none"}],"summary":{"restarted":1}}`)},
		{"restarted api.1, api.2: 1 of 2 agents in their last sessions", answered[sessions.RestartOut](t,
			`{"panes":[{"session":"api","ordinal":1},{"session":"api","ordinal":2,"session_id":"a"}],
				"summary":{"restarted":2,"resumed":1}}`)},
		{"restarted api.1; process 7 (tmux) keeps running: it serves others", answered[sessions.RestartOut](t,
			`{"panes":[{"session":"api","ordinal":1,"leftovers":[{"pid":7,"name":"tmux","why":"it serves others"}]}],
				"summary":{"restarted":1}}`)},
		{"started 2 panes in api", answered[sessions.LaunchOut](t, `{"session":"api","panes":[{},{}]}`)},
		{"dismissed 1 alert", answered[overview.DismissOut](t, `{"dismissed":1}`)},
		{"alerts.idle is 1h, for all that starts from now on", answered[settings.ConfigSetOut](t,
			`{"key":"alerts.idle","value":"1h"}`)},
		{"codex is asked in the background: r1", answered[relays.RelayOut](t,
			`{"results":[{"id":"r1","backend":"codex"}],"background":true}`)},
	} {
		if diff := cmp.Diff(test.want, test.got); diff != "" {
			t.Error(diff)
		}
	}
}
