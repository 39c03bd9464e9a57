package render_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/verb/render"
)

const sampleAnswer = `{"success":true,"panes":[{"agent":"cc_1","n":1},{"agent":"cod_1","n":12345678901234567890}],"summary":{"agents":2}}`

func TestQueriesGiveALineAResult(t *testing.T) {
	for _, test := range []struct {
		expression, want string
		indent           bool
	}{
		{".panes[].agent", "cc_1\ncod_1\n", false},
		{".summary", `{"agents":2}` + "\n", false},
		{".summary", "{\n  \"agents\": 2\n}\n", true},
		{".panes[1].n", "12345678901234567890\n", false},
		{".summary.agents + 1", "3\n", false},
		{"empty", "", false},
		{"1, halt, 2", "1\n", false},
		{".nothing", "null\n", false},
		{"$ENV.HOME, env.HOME", "null\nnull\n", false},
		{`"<&>"`, "<&>\n", false},
	} {
		filter, err := render.Query(test.expression, test.indent)
		if err != nil {
			t.Errorf("%s: %v", test.expression, err)
			continue
		}
		if got, err := filter.Apply(t.Context(), sample(t)); err != nil || got != test.want {
			t.Errorf("%s: got %q, %v", test.expression, got, err)
		}
	}
}

func TestTemplatesMakeText(t *testing.T) {
	for text, want := range map[string]string{
		"{{.summary.agents}} agents":               "2 agents\n",
		"{{range .panes}}{{.agent}} {{end}}":       "cc_1 cod_1 \n",
		"{{if gt .summary.agents 1}}many{{end}}\n": "many\n",
		"{{json .summary}}":                        `{"agents":2}` + "\n",
		"{{range .panes}}{{.n}},{{end}}":           "1,1.2345678901234567e+19,\n",
		`{{join ", " .panes}}`:                     "map[agent:cc_1 n:1], map[agent:cod_1 n:1.2345678901234567e+19]\n",
	} {
		filter, err := render.Template(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := filter.Apply(t.Context(), sample(t)); err != nil || got != want {
			t.Errorf("%s: got %q, %v", text, got, err)
		}
	}
}

func TestInvalidFiltersReportPosition(t *testing.T) {
	for _, test := range []struct {
		make   func(string) (render.Filter, error)
		text   string
		offset int
	}{
		{query, ".a | ", 5},
		{query, ".a | | .b", 5},
		{query, ".a |\n keyz", 6},
		{query, "$nope", 0},
		{query, `"é" | [`, 8},
		{render.Template, "{{.a", 0},
		{render.Template, "a\nb {{nope}}", 2},
		{render.Template, "{{end}}", 0},
	} {
		_, err := test.make(test.text)
		e := core.AsError(err)
		if e == nil || e.Code != core.InvalidInput {
			t.Errorf("%q: got %v", test.text, err)
			continue
		}
		details, _ := e.Details.(map[string]any)
		if details["offset"] != test.offset || details["expression"] != test.text ||
			!strings.Contains(e.Message, "at line ") {
			t.Errorf("%q: %s, %v", test.text, e.Message, details)
		}
	}
}

// sample is sampleAnswer as filters take it.
func sample(t testing.TB) any {
	t.Helper()
	value, err := render.Value(json.RawMessage(sampleAnswer))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func query(text string) (render.Filter, error) { return render.Query(text, false) }

func TestMismatchedFiltersFail(t *testing.T) {
	for _, test := range []struct {
		make func(string) (render.Filter, error)
		text string
	}{
		{query, ".panes + 1"},
		{query, ".panes[0].agent, error"},
		{query, `"stop" | halt_error`},
		{render.Template, "{{index .panes 7}}"},
		{render.Template, "{{.panes.agent}}"},
	} {
		filter, err := test.make(test.text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := filter.Apply(t.Context(), sample(t)); !core.AsError(err).HasCode(core.InvalidInput) ||
			got != "" {
			t.Errorf("%s: got %q, %v", test.text, got, err)
		}
	}
}

func TestFiltersEndWithTheirContext(t *testing.T) {
	for _, test := range []struct {
		make func(string) (render.Filter, error)
		text string
	}{
		{query, "last(repeat(1))"},
		{query, "[range(1; infinite)] | length"},
		{query, "repeat(1)"},
		{render.Template, "{{range 1000000000}}xxxx{{end}}"},
	} {
		filter, err := test.make(test.text)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		_, err = filter.Apply(ctx, sample(t))
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, render.ErrSize) {
			t.Errorf("%s: got %v", test.text, err)
		}
	}
}

func FuzzQuery(f *testing.F) {
	for _, seed := range []string{
		".", ".panes[]", ".a |", `"\(1)"`, "def f: f; f", "[limit(3; repeat(1))]", "$__loc__",
		"@base64d", "\xff", ".[", "try error",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		filter, err := render.Query(text, false)
		if err != nil {
			if !core.AsError(err).HasCode(core.InvalidInput) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if got, err := filter.Apply(ctx, sample(t)); err == nil && got != "" &&
			!strings.HasSuffix(got, "\n") {
			t.Errorf("%q gives %q", text, got)
		}
	})
}

func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{
		"{{.}}", "{{range .panes}}{{.agent}}{{end}}", "{{", "{{end}}", `{{template "x"}}`,
		"{{printf \"%d\" 1}}", "\xff{{.a.b}}", "{{json .}}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		filter, err := render.Template(text)
		if err != nil {
			if !core.AsError(err).HasCode(core.InvalidInput) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if got, err := filter.Apply(ctx, sample(t)); err == nil && !strings.HasSuffix(got, "\n") {
			t.Errorf("%q gives %q", text, got)
		}
	})
}
