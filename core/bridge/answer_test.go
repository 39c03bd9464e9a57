package bridge

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/system/process"
)

func TestColumnsHoldValuesToTheirTypes(t *testing.T) {
	for _, test := range []struct {
		kind  string
		value any
		want  string // JSON; empty is refused
	}{
		{"", nil, `""`},
		{"", "x", `"x"`},
		{"", json.Number("1.50"), `"1.50"`},
		{"", 12, `"12"`},
		{"", true, `"true"`},
		{"", []any{}, ``},
		{"", map[string]any{}, ``},
		{"int", nil, `0`},
		{"int", json.Number("42"), `42`},
		{"int", 42.0, `42`},
		{"int", "42", `42`},
		{"int", 4.2, ``},
		{"int", json.Number("1e99"), ``},
		{"int", big.NewInt(1).Lsh(big.NewInt(1), 80), ``},
		{"int", true, ``},
		{"int", "many", ``},
		{"number", json.Number("1.5"), `1.5`},
		{"number", "NaN", ``},
		{"number", json.Number("1e999"), ``},
		{"bool", nil, `false`},
		{"bool", true, `true`},
		{"bool", "true", ``},
		{"time", nil, `""`},
		{"time", "2026-01-31T12:00:00+01:00", `"2026-01-31T11:00:00Z"`},
		{"time", "2026-01-31 12:00:00", `"2026-01-31T12:00:00Z"`},
		{"time", "2026-01-31", `"2026-01-31T00:00:00Z"`},
		{"time", json.Number("1764619673394"), `"2025-12-01T20:07:53Z"`},
		{"time", 1764619673, `"2025-12-01T20:07:53Z"`},
		{"time", "last week", `"last week"`},
		{"time", json.Number("1e30"), ``},
		{"time", []any{}, ``},
		{"list", nil, `[]`},
		{"list", []any{"a", 1, nil}, `["a","1",""]`},
		{"list", []any{[]any{}}, ``},
		{"list", "a", ``},
		{"any", nil, `null`},
		{"any", map[string]any{"a": 1}, `{"a":1}`},
		{"colour", "x", ``},
	} {
		got, err := Column{Name: "c", Type: test.kind}.typed(test.value)
		text, _ := json.Marshal(got)
		if (err == nil) != (test.want != "") || err == nil && string(text) != test.want {
			t.Errorf("%s of %v: %s, %v; want %s", test.kind, test.value, text, err, test.want)
		}
	}
}

// searching is an action whose answer is read.
func searching(expression string) *Action {
	return &Action{
		Name: "search", Tool: &Tool{ID: "x", Programs: []string{"x"}}, Map: expression,
		Fields: []Column{{Name: "said"}, {Name: "maybe", Type: "int", Optional: true}},
		List:   &List{Name: "hits", Pages: PagedByTool, Columns: []Column{{Name: "id"}, {Name: "n", Type: "int"}}},
	}
}

func TestAnswersAreReadAsTheyAreDeclared(t *testing.T) {
	for _, test := range []struct{ why, expression, printed, want string }{
		{"rows carry every column", ".", `{"said":"x","hits":[{"id":1}]}`, `{"said":"x"} [{"id":"1","n":0}]`},
		{"no list is an empty one", ".", `{"said":"x"}`, `{"said":"x"} []`},
		{
			"what is not declared is left out", ".", `{"said":"x","more":1,"hits":[{"id":"a","n":2,"x":3}]}`,
			`{"said":"x"} [{"id":"a","n":2}]`,
		},
		{"an optional field", ".", `{"said":"x","maybe":0}`, `{"maybe":0,"said":"x"} []`},
		{"the modifiers and the status are known", `{said: "\($in.query) \($exit)"}`, `{}`, `{"said":"q 3"} []`},
		{"neither environment nor files", `{said: "\(env | length) \($ENV | length)"}`, `{}`, `{"said":"0 0"} []`},
		{"an empty list", "{said: \"x\", hits: (.hits // .results // [])}", `{"results":[]}`, `{"said":"x"} []`},
		{"another shape", "{said: \"x\", hits: (.hits // .results // [])}", `{"data":{"hits":[{"id":1}]}}`, ``},
		{"an error of the tool", "{said: \"x\", hits: (.hits // .results // [])}", `{"error":"no index"}`, ``},
		{"an empty object", "{said: \"x\", hits: (.hits // .results // [])}", `{}`, ``},
		{"null", "{said: \"x\", hits: (.hits // .results // [])}", `null`, ``},
		{"rows of another shape", "{said: \"x\", hits: [(.hits // [])[] | {id, n}]}", `{"hits":[{"name":"a"}]}`, ``},
		{"no JSON", ".", `hello`, ``},
		{"nothing", ".", ` `, ``},
		{"two documents", ".", `{} {}`, ``},
		{"cut off", ".", `{"said":`, ``},
		{"no object", ".", `[1]`, ``},
		{"rows that are none", ".", `{"said":"x","hits":[1]}`, ``},
		{"a list that is none", ".", `{"said":"x","hits":{}}`, ``},
		{"a field of another type", ".", `{"said":{}}`, ``},
		{"an expression that fails", "error(\"no\")", `{}`, ``},
		{"an expression without a result", "empty", `{}`, ``},
		{"an expression that is none", ".[", `{}`, ``},
	} {
		answer, err := searching(test.expression).read(t.Context(), printed{stdout: []byte(test.printed), status: 3},
			Values{"query": "q"})
		if test.want == "" {
			if e := core.AsError(err); !e.HasCode(core.DecodeFailed) || e.Details == nil {
				t.Errorf("%s: got %+v, %v", test.why, answer, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.why, err)
			continue
		}
		fields, _ := json.Marshal(answer.Fields)
		rows, _ := json.Marshal(answer.Rows)
		if got := string(fields) + " " + string(rows); got != test.want {
			t.Errorf("%s: %s, not %s", test.why, got, test.want)
		}
	}
}

func TestAnExpressionThatNeverEndsIsStopped(t *testing.T) {
	ctx, cancel := contextWithin(t)
	defer cancel()
	if _, err := searching("[range(1; infinite)] | length").read(ctx, printed{stdout: []byte("{}")}, nil); err == nil {
		t.Error("it came to an end")
	}
}

func TestWhatIsPrintedIsBounded(t *testing.T) {
	tool := &Tool{ID: "yes", Programs: []string{"yes"}}
	out, err := run(t.Context(), tool, "/bin/sh",
		[]string{"-c", "while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done"},
		limits{timeout: usualTimeout, output: 1000})
	if e := core.AsError(err); !e.HasCode(core.BackendFailed) || !strings.Contains(e.Message, "1000 bytes") ||
		len(out.stdout) != 1000 {
		t.Errorf("%d bytes, %v", len(out.stdout), err)
	}
}

func TestWhatAToolStartedEndsWithIt(t *testing.T) {
	tool := &Tool{ID: "sh", Programs: []string{"sh"}}
	out, err := run(t.Context(), tool, "/bin/sh", []string{"-c", "sleep 600 & echo $!; while :; do echo more; done"},
		limits{timeout: usualTimeout, output: 1000})
	said, _, _ := strings.Cut(string(out.stdout), "\n")
	pid, parseErr := strconv.Atoi(said)
	if err == nil || parseErr != nil {
		t.Fatalf("got %v, %v", err, parseErr)
	}
	if child, err := process.Find(pid); err == nil {
		if left := process.Wait(t.Context(), []process.Proc{child}, time.Minute); len(left) > 0 {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			t.Error("it goes on")
		}
	}
}

func TestNothingIsOnStandardInput(t *testing.T) {
	tool := &Tool{ID: "cat", Programs: []string{"cat"}}
	out, err := run(t.Context(), tool, "/bin/sh", []string{"-c", "cat; echo end"},
		limits{timeout: usualTimeout, output: 1000})
	if err != nil || string(out.stdout) != "end\n" {
		t.Errorf("got %q, %v", out.stdout, err)
	}
}

func FuzzAnswers(f *testing.F) {
	for _, seed := range []string{
		`{"said":"x","hits":[{"id":1,"n":2}],"total_matches":3}`, `[]`, `{"hits":null}`,
		"\xff", `{"said":1e999}`, `{"total_matches":"9"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		action := searching(".")
		answer, err := action.read(t.Context(), printed{stdout: text}, Values{"limit": 2})
		if err != nil {
			if !core.AsError(err).HasCode(core.DecodeFailed) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		for _, row := range answer.Rows {
			if len(row) != len(action.List.Columns) {
				t.Errorf("%q: a row is %v", text, row)
			}
		}
		if answer.Total < len(answer.Rows) {
			t.Errorf("%q: %d rows of %d", text, len(answer.Rows), answer.Total)
		}
	})
}
