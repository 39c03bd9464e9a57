package cli

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/verb/registry"
)

func TestWrongLineIsReturnedCorrected(t *testing.T) {
	for _, test := range []struct {
		line    string
		actions []string
	}{
		{"tial api --lines=3", []string{"cupola tail api --lines=3"}},
		{"--limit 3 statsu --json", []string{"cupola --limit 3 status --json"}},
		{"spawn x --spawn-claude=1", []string{"cupola spawn x --spawn-cc=1", "cupola capabilities spawn"}},
		{"spawn x --claude 1", []string{"cupola spawn x --spawn-cc 1", "cupola capabilities spawn"}},
		{"spawn x --cc=1 --dry-run", []string{"cupola spawn x --spawn-cc=1 --dry-run", "cupola capabilities spawn"}},
		{"add x --codex=2", []string{"cupola add x --spawn-cod=2", "cupola capabilities add"}},
		{"spawn x --spawn-opencode=1", []string{"cupola spawn x --spawn-oc=1", "cupola capabilities spawn"}},
		{"spawn x --spawn-copilot=1", []string{"cupola spawn x --agents=copilot=1", "cupola capabilities spawn"}},
		{"spawn x --cop 2", []string{"cupola spawn x --agents=copilot=2", "cupola capabilities spawn"}},
		{"send x hi --claude", []string{"cupola send x hi --type=claude", "cupola capabilities send"}},
		{"budget-set session:shop --usd=5", []string{"cupola budget-set session --usd=5 --session=shop"}},
		{"budget-set session=shop --remove", []string{"cupola budget-set session --remove --session=shop"}},
		{"approve shop.2", []string{"cupola answer shop.2 --approve"}},
		{"deny shop.2 --dry-run", []string{"cupola answer shop.2 --dry-run --deny"}},
		{"bead-show", []string{"cupola bead-list"}},
		{"history --since=yesteday", []string{"cupola history --since=yesterday", "cupola capabilities history"}},
		{
			"status --fields=attacheed",
			[]string{"cupola status --fields=sessions.attached", "cupola capabilities status"},
		},
		{"capabilities sendd", []string{"cupola capabilities send", "cupola capabilities"}},
		{"inspect-pane api -n 5", []string{"cupola inspect-pane api --lines 5", "cupola capabilities inspect-pane"}},
		{"config gte display.theme", []string{"cupola config-get display.theme"}},
		{"events", []string{"cupola watch --timeout=60s", "cupola summary"}},
		{"events --since=1h", []string{"cupola summary --since=1h"}},
		{"stream --timeout 5s", []string{"cupola watch --timeout 5s"}},
		{"tail api -f", []string{"cupola tail api --follow --timeout=60s", "cupola capabilities tail"}},
		{"watch --since=1h", []string{"cupola summary --since=1h", "cupola diff --since=1h"}},
		{"stop api", []string{"cupola interrupt api", "cupola kill api --dry-run"}},
		{"create", []string{"cupola capabilities spawn"}},
		{"log api -n5", []string{"cupola history api -n5", "cupola tail api -n5"}},
		{"status --limt=3", []string{"cupola status --limit=3", "cupola capabilities status"}},
		{"status --limt 3", []string{"cupola status --limit 3", "cupola capabilities status"}},
		{"status --limt=3 --fileds=x", []string{"cupola capabilities status"}},
		{"--robot-tial=api --lines=3", []string{"cupola --robot-tail=api --lines=3", "cupola capabilities"}},
		{"status --toon", []string{"cupola status --robot-format=toon", "cupola capabilities status"}},
		{"send api hi --when no", []string{"cupola send api hi --when now", "cupola capabilities send"}},
		{"status --robot-format=tonn", []string{"cupola status --robot-format=toon", "cupola capabilities status"}},
		{"send api -m hi", []string{"cupola send api --msg hi", "cupola capabilities send"}},
		{"wait api --for finished,error", []string{"cupola wait api --for idle,error", "cupola capabilities wait"}},
		{"schema statu", []string{"cupola schema status", "cupola capabilities schema"}},
		{"pipeline run none.toml", []string{"cupola capabilities pipeline-run"}},
		{"tail --session=api --lines=3", []string{"cupola tail api --lines=3"}},
		{
			"--robot-status=api --limit=3",
			[]string{"cupola --robot-status --limit=3 --session=api", "cupola capabilities status"},
		},
		{"--robot-version=api", []string{"cupola capabilities version"}},
		{"--robot-tail --session api", []string{"cupola --robot-tail=api"}},
		{"send api run the tests --wait", []string{"cupola send api 'run the tests' --wait"}},
		{"send api --wait run the tests", []string{"cupola send api --wait 'run the tests'"}},
		{"send api run all", []string{"cupola send api 'run all'"}},
		{"answer api yes", []string{"cupola answer api --approve"}},
		{"wait api 30s", []string{"cupola wait api --timeout=30s"}},
		{"wait api idle --any", []string{"cupola wait api --for=idle --any"}},
		{"tail api 20", []string{"cupola tail api --lines=20"}},
		{"tail api -20", []string{"cupola tail api --lines=20", "cupola capabilities tail"}},
		{"kill api yes", []string{"cupola capabilities kill"}},
		{"tail api x", []string{"cupola capabilities tail"}},
		{"spawn --name api --cmd=sh", []string{"cupola spawn api --cmd=sh"}},
		{"tail api --lines=x", []string{"cupola capabilities tail"}},
		{"tail", []string{"cupola capabilities tail"}},
		{"status --lines=3", []string{"cupola capabilities status"}},
		{"xyzzyplugh", []string{"cupola capabilities"}},
		{"ensmeble", []string{"cupola ensemble"}},
		{"spawn a.b --cmd=sh", []string{"cupola spawn a-b --cmd=sh", "cupola capabilities spawn"}},
	} {
		_, stdout, _ := run(t, nil, test.line)
		var answer struct {
			Actions []string `json:"actions"`
		}
		if err := json.Unmarshal([]byte(stdout), &answer); err != nil || !slices.Equal(answer.Actions, test.actions) {
			t.Errorf("%s: got %q, want %q: %v", test.line, answer.Actions, test.actions, err)
		}
	}
}

func TestUnknownNameIsCorrectedOnLine(t *testing.T) {
	gone := core.Error{Code: core.SessionNotFound, Suggestions: []string{"shop"}, Slip: core.Slip{Word: "shpo"}}
	kind := core.Error{
		Code: core.SessionNotFound, Suggestions: []string{"shop"},
		Slip: core.Slip{Word: "claude", Add: "type=claude"},
	}
	pane := core.Error{Code: core.SessionNotFound, Suggestions: []string{"shop.1"}, Slip: core.Slip{Word: "cc_1"}}
	own := core.Error{
		Code: core.AlreadyExists, Suggestions: []string{"shop-2"}, Slip: core.Slip{Word: "shop", New: true},
		Actions: []string{"cupola attach shop"},
	}
	number := core.Error{Code: core.PaneNotFound, Suggestions: []string{"shop.1"}, Slip: core.Slip{Word: "shop.7"}}
	for _, test := range []struct {
		args []string
		err  core.Error
		want string
	}{
		{[]string{"reply", "shop.7"}, number, "cupola reply shop.1"},
		{[]string{"send", "shop.7", "hi"}, number, "cupola send shop.1 hi --dry-run"},
		{[]string{"keys", "shop.7", "Enter"}, number, "cupola keys shop.1 Enter --dry-run"},
		{[]string{"tail", "shpo", "--lines=3"}, gone, "cupola tail shop --lines=3"},
		{[]string{"--robot-tail=shpo", "--json"}, gone, "cupola --robot-tail=shop --json"},
		{[]string{"status", "--session", "shpo"}, gone, "cupola status --session shop"},
		{[]string{"send", "shpo", "it's shpo"}, gone, `cupola send shop 'it'\''s shpo' --dry-run`},
		{[]string{"kill", "shpo", "--yes"}, gone, "cupola kill shop --dry-run"},
		{[]string{"send", "claude", "hi"}, kind, "cupola send shop hi --type=claude --dry-run"},
		{[]string{"send", "claude", "--", "-hi"}, kind, "cupola send shop --type=claude --dry-run -- -hi"},
		{[]string{"attach", "claude"}, kind, ""},
		{[]string{"tail", "cc_1"}, pane, "cupola tail shop.1"},
		{[]string{"status", "cc_1"}, pane, "cupola status shop"},
		{[]string{"spawn", "shop", "--cmd=sh"}, own, "cupola spawn shop-2 --cmd=sh"},
		{[]string{"tail", "elsewhere"}, gone, ""},
	} {
		p := testProgram(t, nil, test.args...)
		got := p.line.suggestions().Correct(&test.err).Actions
		if corrected := len(got) > 0 && got[0] == test.want; corrected != (test.want != "") {
			t.Errorf("%q: got %q, want %q", test.args, got, test.want)
		}
		if len(test.err.Actions) > 0 && !slices.Contains(got, test.err.Actions[0]) {
			t.Errorf("%q: its own actions are lost: %q", test.args, got)
		}
	}
}

func TestOverrideBudgetSendsOverCeiling(t *testing.T) {
	over := core.Error{Code: core.BudgetExceeded, Actions: []string{"cupola budget"}}
	for line, want := range map[string][]string{
		"send\x00shop\x00it's late\x00--wait": {
			"cupola budget",
			`cupola send shop 'it'\''s late' --wait --override-budget`,
		},
		"send\x00shop\x00--\x00-1": {"cupola budget", "cupola send shop --override-budget -- -1"},
		"send\x00shop\x00-":        {"cupola budget"},
		"replay\x00shop":           {"cupola budget", "cupola replay shop --override-budget"},
		"kill\x00shop":             {"cupola budget"},
	} {
		p := testProgram(t, nil, strings.Split(line, "\x00")...)
		if got := p.line.suggestions().Correct(&over).Actions; !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}

func TestCompletedActionIsNotSuggestedAgain(t *testing.T) {
	slip := core.Error{
		Code: core.InvalidInput, Suggestions: []string{".deliveries"},
		Slip: core.Slip{Word: ".delivries", Input: "jq"},
	}
	for _, test := range []struct{ line, want string }{
		{"send shop hi --jq=.delivries", "cupola capabilities send"},
		{"history --jq=.delivries", "cupola history --jq=.deliveries"},
	} {
		p := testProgram(t, nil, strings.Fields(test.line)...)
		p.line.robotic = true
		if got := p.line.suggestions().Correct(&slip).Actions; len(got) == 0 || got[0] != test.want {
			t.Errorf("%s: got %q, want %q first", test.line, got, test.want)
		}
	}
}

func TestDryRunStaysDryRun(t *testing.T) {
	catalog, seen := allVerbs(), 0
	for _, verb := range catalog.Verbs {
		if verb.Effect == registry.Reads || verb.Field("dry-run") == nil {
			continue
		}
		seen++
		line := strings.ReplaceAll(verb.Examples()[0], " --dry-run", "")
		own := core.Error{Code: core.AlreadyExists, Actions: []string{line, "cupola status"}}
		p := testProgram(t, nil, verb.Name, "shop", "--dry-run")
		want := []string{line + " --dry-run", "cupola status"}
		if before, after, ended := strings.Cut(line, " -- "); ended {
			want[0] = before + " --dry-run -- " + after
		}
		if got := p.line.suggestions().Correct(&own).Actions; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		p.line.args = p.Args[:2]
		if got := p.line.suggestions().Correct(&own).Actions; !slices.Equal(got, own.Actions) {
			t.Errorf("without a rehearsal: %q", got)
		}
	}
	if seen < 10 {
		t.Errorf("only %d verbs can be rehearsed", seen)
	}
}

func TestAHintNamesTheVerbWhosePageHelps(t *testing.T) {
	p := testProgram(t, nil, "send", "shop")
	if got := p.line.suggestions().Correct(&core.Error{Code: core.InvalidFlag}).Hint; !strings.HasSuffix(got,
		"'cupola capabilities send'.") {
		t.Errorf("the hint is %q", got)
	}
}
