package robot_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"cupola/core"
	"cupola/core/verb"
	"cupola/core/verb/advice"
	"cupola/core/verb/registry"
	"cupola/robot"
)

type lookIn struct {
	Fail bool `help:"Fail"`
}

type lookOut struct {
	Place string    `json:"place"`
	Rows  []lookRow `json:"rows" minimal:"name"`
	More  []lookRow `json:"more"`
	Empty []string  `json:"empty"`
	Odd   any       `json:"odd,omitempty"`
}

type lookRow struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// look is a verb with everything that an answer may carry.
var look = registry.Define(registry.Spec[*verb.Env, lookIn, seenOut]{
	Name: "look", Short: "Look", List: "rows",
	Run: func(_ context.Context, _ *verb.Env, in lookIn) (seenOut, error) {
		if in.Fail {
			return seenOut{}, lookError()
		}
		rows := []lookRow{{"a b", 1}, {"c=|d", 2}}
		return seenOut{lookOut{Place: "über there", Rows: rows, More: rows[:1], Empty: []string{}}}, nil
	},
})

// seenOut is an answer that has hints, and suggests something.
type seenOut struct{ lookOut }

func (seenOut) Hints() *registry.Hints { return &registry.Hints{Summary: "two rows"} }

func (seenOut) Next() []registry.Action {
	return []registry.Action{{Action: "again", Description: "Look again", Command: "cupola look"}}
}

func lookError() error {
	return &core.Error{
		Code: core.SessionNotFound, Message: `session "ap" does not exist`, Hint: "Did you mean api?",
		Suggestions: []string{"api"},
		Actions:     []string{"cupola look api"},
		Details:     map[string]any{"session": "ap", "known": []string{"api", "web"}},
	}
}

// flow is a verb that streams.
var flow = registry.Define(registry.Spec[*verb.Env, lookIn, lookOut]{
	Name: "flow", Short: "Flow",
	Stream: registry.Stream[*verb.Env, lookIn,
		lookOut]{Run: func(_ context.Context, _ *verb.Env, in lookIn, emit func(any) error) (lookOut, error) {
		for i := range 2 {
			if err := emit(map[string]any{"type": "seen", "n": i}); err != nil {
				return lookOut{}, err
			}
		}
		if in.Fail {
			return lookOut{}, lookError()
		}
		return lookOut{Place: "end", Rows: []lookRow{}, More: []lookRow{}, Empty: []string{}}, nil
	}},
})

// stage is a face whose clock is stopped and whose output is kept.
type stage struct {
	robot.Face
	out, err bytes.Buffer
}

func newStage(globals registry.Globals) *stage {
	s := &stage{}
	started := time.Date(2026, 1, 31, 10, 20, 30, 0, time.FixedZone("", 7200))
	s.Face = robot.Face{
		Env: &verb.Env{Local: verb.Local{Caller: registry.Caller{
			Version: "1.2.3", Catalog: &registry.Catalog{Verbs: []*registry.Verb{look, flow}},
		}}},
		Globals: globals, Stdout: &s.out, Stderr: &s.err,
		Now: func() time.Time { return started.Add(12500 * time.Microsecond) }, Started: started,
		Revision: func() core.Revision { return 7 },
	}
	return s
}

var formats = []string{"json", "toon", "markdown", "terse", "ndjson"}

func TestAnswersInEveryFormatAndEnvelope(t *testing.T) {
	for _, envelope := range []string{"flat", "data"} {
		for _, outcome := range []string{"success", "failure"} {
			t.Run(envelope+"-"+outcome, func(t *testing.T) {
				var all strings.Builder
				for _, format := range formats {
					s := newStage(registry.Globals{Format: format, Envelope: envelope})
					s.Warnings = []string{"--old is deprecated; use --new"}
					status := s.Run(t.Context(), look, lookIn{Fail: outcome == "failure"})
					fmt.Fprintf(&all, "== %s, exit %d\n%s", format, status, &s.out)
					if s.err.Len() > 0 {
						t.Errorf("%s: standard error got %q", format, &s.err)
					}
				}
				golden.RequireEqual(t, all.String())
			})
		}
	}
}

func TestStreamsEndInAnEndLine(t *testing.T) {
	var all strings.Builder
	for _, envelope := range []string{"flat", "data"} {
		for _, fail := range []bool{false, true} {
			s := newStage(registry.Globals{Envelope: envelope, Pretty: true})
			s.Warnings = []string{"--old is deprecated; use --new"}
			status := s.Run(t.Context(), flow, lookIn{Fail: fail})
			fmt.Fprintf(&all, "== %s, exit %d\n%s", envelope, status, &s.out)
		}
	}
	golden.RequireEqual(t, all.String())
}

func TestProgressOnStdoutEndsInWholeLine(t *testing.T) {
	for _, test := range []struct {
		name string
		in   lookIn
	}{{"answer", lookIn{}}, {"failure", lookIn{Fail: true}}} {
		bare, wrapped := newStage(registry.Globals{}), newStage(registry.Globals{Progress: "stdout", Pretty: true})
		status := bare.Run(t.Context(), look, test.in)
		if got := wrapped.Run(t.Context(), look, test.in); got != status {
			t.Errorf("%s: exit %d, want %d", test.name, got, status)
		}
		want := `{"type":"complete","result":` + strings.TrimSpace(bare.out.String()) + "}\n"
		if wrapped.out.String() != want {
			t.Errorf("%s: got %s\nwant %s", test.name, &wrapped.out, want)
		}
	}
}

func TestProgressOnStandardOutputNeedsJSON(t *testing.T) {
	for _, format := range []string{"toon", "markdown", "terse"} {
		s := newStage(registry.Globals{Progress: "stdout", Format: format})
		if status := s.Run(t.Context(), look, lookIn{}); status != 1 ||
			!strings.Contains(s.out.String(), "INVALID_FLAG") {
			t.Errorf("%s: exit %d, %s", format, status, &s.out)
		}
	}
	s := newStage(registry.Globals{Progress: "stdout"})
	s.DefaultFormat = "toon"
	if status := s.Run(t.Context(), look, lookIn{}); status != 0 ||
		!strings.HasPrefix(s.out.String(), `{"type":"complete"`) {
		t.Errorf("a default format: exit %d, %s", status, &s.out)
	}
}

func TestFailuresGoToStandardErrorWhenAsked(t *testing.T) {
	for _, verb := range []*registry.Verb{look, flow} {
		for _, progress := range []string{"", "stdout"} {
			s := newStage(registry.Globals{Errors: "stderr", Progress: progress})
			status := s.Run(t.Context(), verb, lookIn{Fail: true})
			if strings.Contains(s.out.String(), "error") || status != 1 {
				t.Errorf("%s: exit %d, standard output got %s", verb.Name, status, &s.out)
			}
			if doc := decode(t, s.err.String()); doc["error_code"] != "SESSION_NOT_FOUND" {
				t.Errorf("%s: standard error got %s", verb.Name, &s.err)
			}
		}
	}
}

func TestFieldsChooseColumnsInEveryFormat(t *testing.T) {
	for format, want := range map[string]string{
		"json": `"rows":[{"name":"a b"},{"name":"c=|d"}],"more":[{"name":"a b","count":1}],"empty":[]`,
		"toon": "rows[2]{name}:\n  a b\n", "markdown": "| name |\n| --- |\n| a b |\n",
		"terse":  "cupola/1 look success=true rows=2 rows.1=a%20b rows.2=c%3D|d\n",
		"ndjson": `{"type":"row","name":"a b"}` + "\n",
	} {
		s := newStage(registry.Globals{Format: format, Fields: []string{"name"}})
		s.Run(t.Context(), look, lookIn{})
		if !strings.Contains(s.out.String(), want) {
			t.Errorf("%s: %q is not in\n%s", format, want, &s.out)
		}
	}
}

func TestWrongFormatsAndFieldsAreOneFailure(t *testing.T) {
	plain := registry.Define(registry.Spec[*verb.Env, lookIn, lookOut]{
		Name: "plain", Run: func(context.Context, *verb.Env, lookIn) (lookOut,
			error,
		) {
			return lookOut{}, errors.New("it ran")
		},
	})
	for _, test := range []struct {
		why     string
		verb    *registry.Verb
		globals registry.Globals
		code    core.Code
	}{
		{"lines of a verb without a list", plain, registry.Globals{Format: "ndjson"}, core.InvalidFlag},
		{"a stream in toon", flow, registry.Globals{Format: "toon"}, core.InvalidFlag},
		{"fields of a verb without a list", plain, registry.Globals{Fields: []string{"a"}}, core.InvalidFlag},
		{"fields of a stream", flow, registry.Globals{Fields: []string{"a"}}, core.InvalidFlag},
		{"indented lines", look, registry.Globals{Pretty: true, Format: "ndjson"}, core.InvalidFlag},
		{"two filters", look, registry.Globals{JQ: ".", GoTemplate: "x"}, core.InvalidFlag},
		{"a filter of toon", look, registry.Globals{JQ: ".", Format: "toon"}, core.InvalidFlag},
		{"a filter behind progress", look, registry.Globals{JQ: ".", Progress: "stdout"}, core.InvalidFlag},
		{"an indented template", look, registry.Globals{GoTemplate: "x", Pretty: true}, core.InvalidFlag},
		{"a jq expression that is none", plain, registry.Globals{JQ: ".["}, core.InvalidInput},
		{"a template that is none", plain, registry.Globals{GoTemplate: "{{"}, core.InvalidInput},
		{"an unknown field", look, registry.Globals{Fields: []string{"nam"}}, core.InvalidInput},
	} {
		s := newStage(test.globals)
		status := s.Run(t.Context(), test.verb, lookIn{})
		if status != 1 || strings.Count(s.out.String(), string(test.code)) != 1 {
			t.Errorf("%s: exit %d, %s", test.why, status, &s.out)
		}
	}
}

func TestFailCountsAsTheVerbsOwnFailure(t *testing.T) {
	for _, test := range []struct {
		command, format, usual string
		begins                 string
	}{
		{"look", "", "", `{"success":false`},
		{"look", "", "toon", "success: false\n"},
		{"look", "ndjson", "", `{"type":"end","success":false`},
		{"flow", "", "", `{"type":"end","success":false`},
		{"flow", "json", "toon", `{"type":"end","success":false`},
		{"flow", "toon", "", "success: false\n"},
		{"", "", "", `{"success":false`},
		{"", "terse", "", "cupola/1 error success=false"},
		{"no-verb", "", "ndjson", `{"success":false`},
	} {
		s := newStage(registry.Globals{Format: test.format})
		s.DefaultFormat = test.usual
		if status := s.Fail(test.command, lookError()); status != 1 || !strings.HasPrefix(s.out.String(), test.begins) {
			t.Errorf("%+v: exit %d, %s", test, status, &s.out)
		}
	}
}

func TestFailureUsesVerbsOwnFormat(t *testing.T) {
	brief := registry.Define(registry.Spec[*verb.Env, lookIn, lookOut]{
		Name: "brief", Format: "terse",
		Run: func(context.Context, *verb.Env, lookIn) (lookOut, error) { return lookOut{}, lookError() },
	})
	s := newStage(registry.Globals{})
	s.Run(t.Context(), brief, lookIn{})
	if !strings.HasPrefix(s.out.String(), "cupola/1 brief success=false ") || strings.Count(s.out.String(), "\n") != 1 {
		t.Errorf("got %s", &s.out)
	}
}

func TestExitStatusIsTheCodesOwn(t *testing.T) {
	for _, row := range advice.Codes() {
		for detailed, want := range map[string]int{"": row.Exit, "default": row.Exit, "detailed": row.Detailed} {
			s := newStage(registry.Globals{ExitCodes: detailed})
			if got := s.Fail("look", &core.Error{Code: row.Code, Message: "x"}); got != want {
				t.Errorf("%s, %s: exit %d, want %d", row.Code, detailed, got, want)
			}
			if doc := decode(t, s.out.String()); doc["hint"] != row.Hint || doc["error_code"] != string(row.Code) {
				t.Errorf("%s: got %s", row.Code, &s.out)
			}
		}
	}
}

func TestUnencodableAnswerIsADocument(t *testing.T) {
	loop := map[string]any{}
	loop["loop"] = loop
	for why, details := range map[string]any{
		"a function": func() {}, "a loop": loop, "an object that refuses": refuses{},
		"too much": strings.Repeat("x", 65<<20), "a nil pointer": (*lookOut)(nil),
	} {
		s := newStage(registry.Globals{})
		status := s.Fail("look", &core.Error{Code: core.Timeout, Message: "late", Details: details})
		if doc := decode(t, s.out.String()); status != 1 || doc["error_code"] != "TIMEOUT" || doc["success"] != false {
			t.Errorf("%s: exit %d, %.200s", why, status, &s.out)
		}
	}
	odd := registry.Define(registry.Spec[*verb.Env, lookIn, lookOut]{
		Name: "odd", Run: func(context.Context, *verb.Env, lookIn) (lookOut,
			error,
		) {
			return lookOut{Odd: func() {}}, nil
		},
	})
	s := newStage(registry.Globals{})
	status := s.Run(t.Context(), odd, lookIn{})
	if doc := decode(t, s.out.String()); status != 1 || doc["error_code"] != "INTERNAL_ERROR" {
		t.Errorf("an answer: exit %d, %s", status, &s.out)
	}
}

type refuses struct{}

func (refuses) MarshalJSON() ([]byte, error) { return nil, errors.New("no") }

func TestAnswerFramesOtherDocuments(t *testing.T) {
	s := newStage(registry.Globals{})
	if status := s.Answer(t.Context(), "help", struct {
		Text string `json:"text"`
	}{"read me"}); status != 0 {
		t.Errorf("exit %d", status)
	}
	if doc := decode(t, s.out.String()); doc["text"] != "read me" || doc["success"] != true {
		t.Errorf("got %s", &s.out)
	}
	s = newStage(registry.Globals{Fields: []string{"a"}})
	if status := s.Answer(t.Context(), "help", struct{}{}); status != 1 ||
		decode(t, s.out.String())["error_code"] != "INVALID_FLAG" {
		t.Errorf("exit %d, %s", status, &s.out)
	}
}

func TestABrokenOutputIsAnError(t *testing.T) {
	for _, verb := range []*registry.Verb{look, flow} {
		s := newStage(registry.Globals{ExitCodes: "detailed"})
		s.Stdout = brokenPipe{}
		if status := s.Run(t.Context(), verb, lookIn{}); status != 12 {
			t.Errorf("%s: exit %d, want 12", verb.Name, status)
		}
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

// decode reads exactly one document.
func decode(t *testing.T, text string) map[string]any {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Errorf("%v in %.300s", err, text)
	}
	return doc
}

func TestAFailureRepeatsNoLongArgument(t *testing.T) {
	long := strings.Repeat("x", 50_000)
	for _, envelope := range []string{"", "data"} {
		s := newStage(registry.Globals{Envelope: envelope})
		s.Fail("look", &core.Error{
			Code: core.InvalidFlag, Message: fmt.Sprintf("--lines: %q is no number", long), Hint: "Not " + long,
			Suggestions: []string{long},
			Actions:     []string{"cupola look " + long, "cupola look"},
			Details:     map[string]any{"flag": "--lines=" + long, "all": []string{long}},
		})
		if n := s.out.Len(); n > 2500 || !strings.Contains(s.out.String(), "is no number") ||
			!strings.Contains(s.out.String(), `"cupola look"`) {
			t.Errorf("%d bytes: %.3000s", n, &s.out)
		}
	}
}

// longOut is an answer with hints that repeat a long argument.
type longOut struct{}

func (longOut) Hints() *registry.Hints {
	long := strings.Repeat("x", 50_000)
	return &registry.Hints{Summary: "none has " + long, Warnings: []string{"not " + long}}
}

func TestHintsRepeatNoLongArgument(t *testing.T) {
	reported := registry.Define(registry.Spec[*verb.Env, lookIn, longOut]{
		Name: "report", Run: func(context.Context, *verb.Env, lookIn) (longOut, error) { return longOut{}, nil },
	})
	s := newStage(registry.Globals{})
	s.Run(t.Context(), reported, lookIn{})
	if n := s.out.Len(); n > 1500 || !strings.Contains(s.out.String(), "none has") {
		t.Errorf("%d bytes: %.2000s", n, &s.out)
	}
}
