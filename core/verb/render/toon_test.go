package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
)

func toon(t testing.TB, v any) string {
	t.Helper()
	var b bytes.Buffer
	if err := TOON(&b, v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTOONChoosesFormByValue(t *testing.T) {
	tests := []struct {
		name, in, want string
	}{
		{"empty object", `{}`, ""},
		{"empty array", `[]`, "[]"},
		{"scalar", `"a b"`, "a b"},
		{"fields", `{"a":1,"b":null,"c":{},"d":[]}`, "a: 1\nb: null\nc:\nd: []"},
		{"inline array", `{"a":[1,"x",true]}`, "a[3]: 1,x,true"},
		{"table", `[{"a":1,"b":"x"},{"b":"y","a":2}]`, "[2]{a,b}:\n  1,x\n  2,y"},
		{"group in a table", `{"r":[{"a":{"x":1,"y":{"z":2}},"b":3}]}`, "r[1]{a{x,y{z}},b}:\n  1,2,3"},
		{"keyed table", `{"m":{"a":{"x":1},"b-c":{"x":2}}}`, "m[2:]{x}:\n  a: 1\n  \"b-c\": 2"},
		{"keyed root", `{"a":{"x":1},"b":{"x":2}}`, "[2:]{x}:\n  a: 1\n  b: 2"},
		{"one entry is no table", `{"a":{"x":1}}`, "a:\n  x: 1"},
		{
			"list", `{"l":[1,{"a":[{"x":1}],"b":2},[[],[3]],{}]}`,
			"l[4]:\n  - 1\n  - a[1]{x}:\n      1\n    b: 2\n  - [2]:\n    - [0]:\n    - [1]: 3\n  -",
		},
		{"no table behind a hyphen", `[[{"a":1},{"a":2}]]`, "[1]:\n  - [2]:\n    - a: 1\n    - a: 2"},
		{"null in a column of objects", `[{"a":null},{"a":{"x":1}}]`, "[2]:\n  - a: null\n  - a:\n      x: 1"},
		{"other keys", `[{"a":1},{"b":1}]`, "[2]:\n  - a: 1\n  - b: 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := toon(t, json.RawMessage(tt.in)); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestTOONQuotesOnlyWhatWouldBeMisread(t *testing.T) {
	quoted := []string{
		"", " a", "a ", "\ta", "a\t", "true", "false", "null", "1", "-1", "+1", "007", "1.5", "1e5", "1E-5", "+0.5e+1",
		"a:b", `a"b`, `a\b`, "a[b", "a]b", "a{b", "a}b", "a,b", "-", "-a", "#", "#a", "a\nb", "a\x00b", "\x1b[0m", "\ufeffa",
	}
	bare := []string{
		"a", "a b", "True", "NULL", "1.", ".5", "1e", "1e+", "0x10", "1_000", "+", "+a", "1-2", "a-b", "a#b", "a|b",
		"é", "\u00a0a", "日本", "😀", "\x7f", "'", "(a)", "a/b", "2024-01-01", "%1",
	}
	for _, s := range quoted {
		if got := toon(t, s); !strings.HasPrefix(got, `"`) {
			t.Errorf("%q became %s, want quotes", s, got)
		}
	}
	for _, s := range bare {
		if got := toon(t, s); got != s {
			t.Errorf("%q became %s, want no quotes", s, got)
		}
	}
}

func TestTOONEscapesAllControlCharacters(t *testing.T) {
	got := toon(t, "\x00\x08\x0c\n\r\t\x1f\"\\é\x7f")
	if want := `"\u0000\u0008\u000c\n\r\t\u001f\"\\é` + "\x7f\""; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTOONWritesNumbersCanonicallyAndExactly(t *testing.T) {
	tests := []struct {
		in   any
		want string
	}{
		{json.Number("0"), "0"},
		{json.Number("-0"), "0"},
		{json.Number("-0.00e5"), "0"},
		{json.Number("0e99999999999999999999"), "0"},
		{json.Number("1.0"), "1"},
		{json.Number("1.5000"), "1.5"},
		{json.Number("-1E+03"), "-1000"},
		{json.Number("12.5e1"), "125"},
		{json.Number("12.5e-3"), "0.0125"},
		{json.Number("0.000001"), "0.000001"},
		{json.Number("0.0000001"), "1e-7"},
		{json.Number("-12.50e-9"), "-1.25e-8"},
		{json.Number("999999999999999999999"), "999999999999999999999"},
		{json.Number("1000000000000000000000"), "1e+21"},
		{json.Number("1234567890123456789012345"), "1.234567890123456789012345e+24"},
		{json.Number("12345678901234567.89"), "12345678901234567.89"},
		{json.Number("1E99999999999999999999"), "1e+99999999999999999999"},
		{json.Number("-1.0e-99999999999999999999"), "-1.0e-99999999999999999999"},
		{uint64(math.MaxUint64), "18446744073709551615"},
		{math.MaxFloat64, "1.7976931348623157e+308"},
		{math.SmallestNonzeroFloat64, "5e-324"},
		{0.1, "0.1"},
	}
	for _, tt := range tests {
		if got := toon(t, tt.in); got != tt.want {
			t.Errorf("%v became %s, want %s", tt.in, got, tt.want)
		}
	}
}

func TestTOONDoesNotChangeItsInput(t *testing.T) {
	v := []any{Object{{"a", 1}, {"b", 2}}, Object{{"b", 3}, {"a", 4}}}
	if got, want := toon(t, v), "[2]{a,b}:\n  1,2\n  4,3"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if first := v[1].(Object)[0].Key; first != "b" {
		t.Errorf("the second row now begins with %q", first)
	}
}

func TestTOONRefusesTooLargeIndentation(t *testing.T) {
	rows := make([]any, 50_000)
	for i := range rows {
		rows[i] = []any{}
	}
	var v any = rows
	for range MaxDepth - 2 {
		v = Object{{"k", v}}
	}
	var b bytes.Buffer
	if err := TOON(&b, v); !errors.Is(err, ErrSize) || b.Len() > 0 {
		t.Errorf("got %v and %d bytes, want %v", err, b.Len(), ErrSize)
	}
	if err := TOON(&b, []any{v}); err == nil {
		t.Errorf("one level more was accepted")
	}
	if err := TOON(&b, Object{{"k", []any{[]any{v}}}}); !errors.Is(err, ErrDepth) {
		t.Errorf("got %v, want %v", err, ErrDepth)
	}
}

func TestTOONWritesOnce(t *testing.T) {
	w := &countingWriter{err: errors.New("closed")}
	if err := TOON(w, []int{1, 2}); !errors.Is(err, w.err) {
		t.Errorf("got %v, want %v", err, w.err)
	}
	if w.calls != 1 {
		t.Errorf("%d calls of Write, want 1", w.calls)
	}
}

type countingWriter struct {
	calls int
	err   error
}

func (w *countingWriter) Write([]byte) (int, error) {
	w.calls++
	return 0, w.err
}
