package bridge_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/bridge"
	"cupola/core/engine/enginetest"
)

// fakeTools is a folder of scripts that replace the tools.
const fakeTools = "testdata/fakes"

// staged returns the tools; those with a fake are installed.
func staged(t *testing.T) *bridge.Bridges {
	t.Helper()
	return bridge.Open(nil, func(name string) (string, error) { return exec.LookPath(filepath.Join(fakeTools, name)) })
}

// action returns an action by the name of its verb.
func action(t *testing.T, b *bridge.Bridges, verb string) *bridge.Action {
	t.Helper()
	id, name, _ := strings.Cut(verb, "-")
	tool, err := b.Tool(id)
	if err != nil {
		t.Fatal(err)
	}
	if tool.Actions[name] == nil {
		t.Fatalf("%s has no action %s", id, name)
	}
	return tool.Actions[name]
}

func asked(t *testing.T, verb string, values bridge.Values) (*bridge.Answer, error) {
	t.Helper()
	b := staged(t)
	return b.Call(t.Context(), action(t, b, verb), values, 0)
}

// jsonOf writes a value on one line.
func jsonOf(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// declaredAnswers are fields and rows that answers of tools hold.
var declaredAnswers = []struct {
	verb   string
	values bridge.Values
	fields string
	rows   string
}{
	{
		"cass-search",
		bridge.Values{"query": "auth", "limit": 3},
		`{}`,
		`"path":"/s/one.jsonl","score":1.35,"snippet":"the token\nexpired","title":"Fix the login"`,
	},
	{"cass-search", bridge.Values{"query": "auth", "limit": 3}, `{}`, `"at":"2025-12-01T20:07:53Z"`},
	{
		"cass-context",
		bridge.Values{"query": "auth", "limit": 10},
		`{}`,
		`"line":2,"matches":2,"path":"/s/one.jsonl"`,
	},
	{"cass-status", nil, `{"conversations":0,"data_dir":"/d","fresh":false,"healthy":false,"messages":0,"status":"not_initialized"}`, `[]`},
	{
		"cass-insights", nil, `{"conversations":2,"messages":6,"oldest":"2025-01-01T00:00:00Z"}`,
		`[{"by":"agent","conversations":2,"name":"aider"},{"by":"workspace","conversations":1,"name":"/r"}]`,
	},
	{
		"dcg-check",
		bridge.Values{"command": "ls"},
		`{"allowed":true,"analysis":{"command":"ls","command_parsed":["ls"],"flags_detected":[],"risk_factors":[]},"rationale":"no rule matches this command","severity":"none"}`,
		`[]`,
	},
	{"dcg-check", bridge.Values{"command": "-rf"}, `"allowed":false`, `[]`},
	{
		"dcg-check",
		bridge.Values{"command": "git reset --hard"},
		`"rationale":"discards uncommitted changes","rule":"core.git:reset-hard","severity":"critical"}`, `[]`,
	},
	{
		"dcg-status", nil, `{"healthy":false,"issues":1}`,
		`{"check":"hook","fix":"dcg install","message":"not installed","state":"warning"}`,
	},
	{"jfp-status", nil, `{"prompts":42,"source":"remote","stale":false,"synced_at":"2026-01-30T08:00:00Z"}`, `[]`},
	{"jfp-list", bridge.Values{"category": "debugging"}, `{}`, `"id":"idea-wizard","tags":["ideas","planning"]`},
	{
		"jfp-search",
		bridge.Values{"query": "x", "limit": 1},
		`{}`,
		`[{"category":"ideation","description":"","id":"idea-wizard","score":0.9,"tags":["ideas"],"title":"The Idea Wizard"}]`,
	},
	{"jfp-show", bridge.Values{"id": "idea-wizard"}, `"content":"Come up with ideas."`, `[]`},
	{"jfp-suggest", bridge.Values{"query": "x", "limit": 5}, `{}`, `"reason":"it fits","score":0.7`},
	{
		"jfp-install",
		bridge.Values{"ids": []string{"idea-wizard", "two"}},
		`{"failed":[],"installed":["idea-wizard"],"location":"/home/u/.claude/skills"}`, `[]`,
	},
	{
		"jfp-export",
		bridge.Values{"ids": []string{"idea-wizard"}, "jfp-dir": "-x"},
		`{"format":"md"}`,
		`[{"file":"idea-wizard.md","id":"idea-wizard"}]`,
	},
	{"jfp-update", bridge.Values{"dry-run": true}, `{"failed":[],"updated":["idea-wizard"]}`, `[]`},
	{"jfp-installed", nil, `{}`, `[{"id":"idea-wizard","location":"personal","path":"","version":"1.0.0"}]`},
	{"jfp-categories", nil, `{}`, `[{"name":"ideation","prompts":4}]`},
	{"jfp-tags", nil, `{}`, `[{"name":"ideas","prompts":4}]`},
	{"jfp-bundles", nil, `{}`, `"id":"start","prompts":3`},
	{
		"ms-search",
		bridge.Values{"query": "x", "limit": 5},
		`{}`,
		`"id":"rust-error-handling","layer":"base","name":"Rust errors","quality":0.85`,
	},
	{"ms-show", bridge.Values{"id": "rust-error-handling"}, `"content":"# Errors"`, `[]`},
	{"slb-pending", bridge.Values{"project": "/srv/api"}, `{}`, `"approvals_needed":1,"at":"2026-01-31T10:00:00Z"`},
	{
		"slb-approve",
		bridge.Values{"id": "req-1", "slb-session": "s1", "slb-key": "k1"},
		`{"approvals":1,"decision":"approve","id":"req-1","rejections":0,"status":"approved"}`, `[]`,
	},
	{
		"slb-deny",
		bridge.Values{"id": "req-1", "slb-session": "s1", "slb-key": "k1", "reason": "too risky"},
		`"decision":"reject","id":"req-1","reason":"too risky"`, `[]`,
	},
	{
		"xf-search",
		bridge.Values{"query": "x", "limit": 5, "xf-mode": "lexical"},
		`{}`,
		`"at":"2024-06-01T10:00:00Z","id":"1","kind":"tweet"`,
	},
	{"xf-status", nil, `{"dms":3421,"grok_messages":892,"likes":45231,"tweets":12847}`, `[]`},
	{"mail-check", bridge.Values{"project": "/srv/api", "agent": "cc_1"}, `{}`, `"from":"RedFox","id":"7"`},
	{
		"ru-status", nil, `{}`,
		`[{"ahead":0,"behind":2,"branch":"main","dirty":true,"path":"/srv/api","repo":"me/api","state":"behind"}]`,
	},
	{"ubs-status", nil, `{"healthy":true,"report":["checked curl","all modules valid"]}`, `[]`},
	{
		"acfs-status", nil, `{"healthy":false}`,
		`{"check":"tool.br","fix":"acfs update","message":"missing","state":"fail"}`,
	},
	{"giil-status", nil, `{"ready":true,"version":"3.1.0"}`, `[]`},
}

func TestToolsAnswerInTheDeclaredShape(t *testing.T) {
	for _, test := range declaredAnswers {
		t.Run(test.verb, func(t *testing.T) {
			answer, err := asked(t, test.verb, test.values)
			if err != nil {
				t.Fatalf("%v: %v", err, core.AsError(err).Details)
			}
			if fields := jsonOf(t, answer.Fields); !strings.Contains(fields, test.fields) {
				t.Errorf("fields are %s, not %s", fields, test.fields)
			}
			if rows := jsonOf(t, answer.Rows); !strings.Contains(rows, test.rows) {
				t.Errorf("rows are %s, not %s", rows, test.rows)
			}
		})
	}
}

func TestEveryActionIsTried(t *testing.T) {
	b := staged(t)
	tried := 0
	for _, id := range b.IDs() {
		tool, err := b.Tool(id)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := b.Locate(tool); !ok && len(tool.Actions) > 0 {
			t.Errorf("no fake tool for %s", id)
		}
		for _, a := range tool.Actions {
			if err := a.Verify(); err != nil {
				t.Error(err)
			}
			tried++
		}
	}
	if tried != len(bridge.Index()) || tried < 30 {
		t.Errorf("%d actions, and %d in the index", tried, len(bridge.Index()))
	}
	for _, entry := range bridge.Index() {
		got := bridge.EntryOf(action(t, b, entry.Tool+"-"+entry.Action))
		if fmt.Sprint(got) != fmt.Sprint(entry) {
			t.Errorf("the index is stale: run go generate ./...\n%+v\n%+v", got, entry)
		}
	}
}

func TestPagesSayWhatTheyAreOfTheWhole(t *testing.T) {
	for _, test := range []struct {
		why   string
		verb  string
		value bridge.Values
		count int
		total int
		more  bool
	}{
		{
			"cut by the tool, which knows how many there are", "cass-search",
			bridge.Values{"query": "x", "limit": 3},
			3,
			7, true,
		},
		{"the last page of those", "cass-search", bridge.Values{"query": "x", "limit": 3, "offset": 4}, 3, 7, false},
		{"none at all", "cass-search", bridge.Values{"query": "nothing", "limit": 1}, 0, 0, false},
		{
			"cut by the tool, which does not say, and full", "xf-search",
			bridge.Values{"query": "x", "limit": 1},
			1, 1,
			true,
		},
		{
			"cut by the tool, which does not say, and not full", "xf-search",
			bridge.Values{"query": "x", "limit": 2},
			1,
			1, false,
		},
		{"cut here", "jfp-search", bridge.Values{"query": "x", "limit": 1}, 1, 2, true},
		{"cut here, the rest", "jfp-search", bridge.Values{"query": "x", "limit": 5, "offset": 1}, 1, 2, false},
		{"cut here, behind the end", "jfp-search", bridge.Values{"query": "x", "limit": 5, "offset": 9}, 0, 2, false},
	} {
		answer, err := asked(t, test.verb, test.value)
		if err != nil {
			t.Fatalf("%s: %v", test.why, err)
		}
		if len(answer.Rows) != test.count || answer.Total != test.total || answer.More != test.more {
			t.Errorf("%s: %d of %d, more %v", test.why, len(answer.Rows), answer.Total, answer.More)
		}
	}
}

func TestFailuresSayWhatTheToolSaid(t *testing.T) {
	for _, test := range []struct {
		why    string
		verb   string
		values bridge.Values
		code   core.Code
		says   string
		detail string
	}{
		{
			"a JSON error", "cass-search",
			bridge.Values{"query": "index", "limit": 1},
			core.BackendFailed,
			"search cannot run until the first index completes", "cass: no index",
		},
		{
			"a flat JSON error", "jfp-show",
			bridge.Values{"id": "none"},
			core.BackendFailed, "Prompt not found",
			`"exit":1`,
		},
		{
			"a line on standard error", "slb-approve",
			bridge.Values{"id": "other"},
			core.BackendFailed,
			"Error: cannot do", "approve",
		},
		{
			"a call without a login", "slb-approve",
			bridge.Values{"id": "no login"},
			core.CredentialMissing,
			"API key is not set", "approve",
		},
		{"an old login", "slb-approve", bridge.Values{"id": "old login"}, core.AuthFailed, "status 401", "approve"},
		{"a limit", "slb-approve", bridge.Values{"id": "limit"}, core.RateLimited, "Too many requests", "approve"},
		{
			"no network", "slb-approve",
			bridge.Values{"id": "no network"},
			core.NetworkError, "connection refused",
			"approve",
		},
		{
			"numbers that are no status", "slb-approve",
			bridge.Values{"id": "numbers"},
			core.BackendFailed,
			"row 401 of 429", "approve",
		},
		{
			"a kill", "cass-search",
			bridge.Values{"query": "crash", "limit": 1},
			core.BackendFailed, "it was killed",
			`"exit":-1`,
		},
		{
			"no JSON", "cass-search",
			bridge.Values{"query": "noise", "limit": 1},
			core.DecodeFailed, "no JSON",
			"not JSON",
		},
		{
			"another shape", "cass-search",
			bridge.Values{"query": "shape", "limit": 1},
			core.DecodeFailed,
			"cannot be understood", "list",
		},
		{"a value like a flag", "mail-check", bridge.Values{"project": "\x00"}, core.InvalidInput, "NUL", ""},
	} {
		_, err := asked(t, test.verb, test.values)
		e := core.AsError(err)
		if e == nil || e.Code != test.code || !strings.Contains(e.Message, test.says) ||
			!strings.Contains(jsonOf(t, e.Details), test.detail) {
			t.Errorf("%s: %v %+v", test.why, err, e)
		}
	}
}

func TestMissingToolsSayHowToGetThem(t *testing.T) {
	b := bridge.Open(nil, func(string) (string, error) { return "", exec.ErrNotFound })
	_, err := b.Call(t.Context(), action(t, b, "cass-status"), nil, 0)
	e := core.AsError(err)
	details, _ := e.Details.(map[string]any)
	if e.Code != core.ToolNotFound || details["reason"] != "DEPENDENCY_MISSING" ||
		!strings.Contains(e.Hint, "brew install") || details["install"] == "" {
		t.Errorf("got %+v", e)
	}
}

func TestToolsAreKilledWhenTheirTimeIsOver(t *testing.T) {
	b := staged(t)
	search := action(t, b, "cass-search")
	began := time.Now()
	_, err := b.Call(t.Context(), search, bridge.Values{"query": "late", "limit": 1}, 50*time.Millisecond)
	if e := core.AsError(err); !e.HasCode(core.Timeout) || !slices.Contains(e.Remedies, core.RemedyAllowTime) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := b.Call(ctx, search, bridge.Values{"query": "late", "limit": 1}, time.Minute); !errors.Is(err,
		context.DeadlineExceeded) {
		t.Errorf("the caller's own end: got %v", err)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %s", took)
	}
}

func TestSecretsAreNotInErrors(t *testing.T) {
	_, err := asked(t, "slb-approve", bridge.Values{"id": "other", "slb-session": "s1", "slb-key": "very-secret"})
	e := core.AsError(err)
	if text := jsonOf(t, e.Details) + e.Message; strings.Contains(text, "very-secret") ||
		!strings.Contains(text, "--session-key=***") {
		t.Errorf("got %s", text)
	}
}

func TestVersionsAreFoundInWhatIsPrinted(t *testing.T) {
	b := staged(t)
	for id, want := range map[string]string{
		"cass": "0.6.5", "jfp": "1.4.0", "slb": "1.2.3", "ubs": "5.0.7",
		"giil": "3.1.0", "mail": "0.3.0",
	} {
		tool, err := b.Tool(id)
		if err != nil {
			t.Fatal(err)
		}
		path, _ := b.Locate(tool)
		var got string
		enginetest.Eventually(t, enginetest.Timeout, func() bool {
			got, err = bridge.VersionOf(t.Context(), path, tool.Version)
			return !core.AsError(err).HasCode(core.Timeout)
		}, nil)
		if got != want || err != nil {
			t.Errorf("%s: %q, %v", id, got, err)
		}
	}
	if got, err := bridge.VersionOf(t.Context(), "testdata/fakes/cass", []string{"--unheard-of"}); err == nil {
		t.Errorf("a program that refuses has the version %q", got)
	}
	if ids := staged(t).IDs(); !slices.Contains(ids, "git") {
		t.Errorf("ids are %q", ids)
	}
}
