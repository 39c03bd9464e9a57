package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestValueKeepsOrderAndNumberText(t *testing.T) {
	type row struct {
		Name string    `json:"name"`
		Skip string    `json:"-"`
		None []string  `json:"none,omitempty"`
		When time.Time `json:"when"`
	}
	tests := []struct {
		name string
		in   any
		want any
	}{
		{"nil", nil, nil},
		{"nil slice", []any(nil), []any{}},
		{"nil object", Object(nil), Object{}},
		{"integer", 42, json.Number("42")},
		{"integer beyond float64", int64(math.MaxInt64), json.Number("9223372036854775807")},
		{"empty number", json.Number(""), json.Number("0")},
		{
			"number text", json.RawMessage(`[1.50,1E3,-0]`),
			[]any{json.Number("1.50"), json.Number("1E3"), json.Number("-0")},
		},
		{"order", json.RawMessage(`{"b": 1, "a": {"d": [], "c": null}}`), Object{
			{"b", json.Number("1")},
			{"a", Object{{"d", []any{}}, {"c", nil}}},
		}},
		{
			"struct",
			row{Name: "<&>", When: time.Unix(0, 0).UTC()},
			Object{{"name", "<&>"}, {"when", "1970-01-01T00:00:00Z"}},
		},
		{"object inside a struct", struct{ O Object }{Object{{"z", 1}, {"a", true}}}, Object{
			{"O", Object{{"z", json.Number("1")}, {"a", true}}},
		}},
		{
			"repeated key", json.RawMessage(`{"a":1,"b":2,"a":3}`),
			Object{{"a", json.Number("3")}, {"b", json.Number("2")}},
		},
		{"strings", []string{"\x00\"\\", "a\xffb", "\u2028é"}, []any{"\x00\"\\", "a\ufffdb", "\u2028é"}},
		{"raw string that is not UTF-8", json.RawMessage("\"a\xffb\""), "a\ufffdb"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Value(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %#v, want %#v", got, tt.want)
			}
		})
	}
}

func TestValueResolvesRepeatedKeysOfWideObjects(t *testing.T) {
	var o Object
	for i := range 3 * fewMembers {
		o = append(o, Member{string(rune('a' + i%fewMembers*2)), i})
	}
	o = append(o, Member{"last", 1})
	got, err := Value(o)
	if err != nil {
		t.Fatal(err)
	}
	members := got.(Object)
	if len(members) != fewMembers+1 {
		t.Fatalf("%d members, want %d", len(members), fewMembers+1)
	}
	if members[0] != (Member{"a", json.Number("32")}) || members[fewMembers].Key != "last" {
		t.Errorf("first %v, last %v", members[0], members[fewMembers])
	}
}

func TestObjectSetReplacesInPlaceAndAppends(t *testing.T) {
	var o Object
	o.Set("a", 1)
	o.Set("b", 2)
	o.Set("a", 3)
	if want := (Object{{"a", 3}, {"b", 2}}); !reflect.DeepEqual(o, want) {
		t.Errorf("got %v, want %v", o, want)
	}
	if v, ok := o.Get("b"); !ok || v != 2 {
		t.Errorf("Get(b) = %v, %v", v, ok)
	}
	if v, ok := o.Get("c"); ok {
		t.Errorf("Get(c) = %v, want none", v)
	}
}

func TestJSONHasNoHTMLEscapes(t *testing.T) {
	v := Object{
		{"html", "<a&b>"},
		{"n", json.Number("1.50")},
		{"list", []any{nil, true}},
		{"go", []int{1}},
		{"none", Object{}},
	}
	tests := []struct {
		indent bool
		want   string
	}{
		{false, `{"html":"<a&b>","n":1.50,"list":[null,true],"go":[1],"none":{}}`},
		{true, "{\n  \"html\": \"<a&b>\",\n  \"n\": 1.50,\n  \"list\": [\n    null,\n    true\n  ],\n  \"go\": [\n  " +
			"  1\n  ],\n  \"none\": {}\n}"},
	}
	for _, tt := range tests {
		var b bytes.Buffer
		if err := JSON(&b, v, tt.indent); err != nil {
			t.Fatal(err)
		}
		if b.String() != tt.want {
			t.Errorf("got\n%s\nwant\n%s", b.String(), tt.want)
		}
	}
}

func TestObjectMarshalsInsideOtherValues(t *testing.T) {
	data, err := json.Marshal(map[string]Object{"o": {{"b", 1}, {"a", "é\n"}}})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"o":{"b":1,"a":"é\n"}}`; string(data) != want {
		t.Errorf("got %s, want %s", data, want)
	}
}

// link is a Go type that can nest without end and lead back to itself.
type link struct {
	Next   *link
	parent *link
}

func chain(n int, wrap func(any) any) any {
	var v any = 1
	for range n {
		v = wrap(v)
	}
	return v
}

func TestLimitsAreErrorsNotCrashes(t *testing.T) {
	array := func(v any) any { return []any{v} }
	object := func(v any) any { return Object{{"k", v}} }
	goMap := func(v any) any { return map[string]any{"k": v} }
	mixed := func(v any) any { return struct{ V any }{Object{{"k", v}}} }
	loop := &link{}
	loop.Next = loop
	child := &link{}
	child.Next = &link{parent: child}
	text := func(n int) any { return json.RawMessage(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	tests := []struct {
		name string
		in   any
		want error
	}{
		{"arrays at the limit", chain(MaxDepth, array), nil},
		{"arrays past it", chain(MaxDepth+1, array), ErrDepth},
		{"very deep arrays", chain(200_000, array), ErrDepth},
		{"very deep objects", chain(200_000, object), ErrDepth},
		{"maps at the limit", chain(MaxDepth, goMap), nil},
		{"maps past it", chain(MaxDepth+1, goMap), ErrDepth},
		{"very deep maps", chain(200_000, goMap), ErrDepth},
		{"objects inside Go values", chain(MaxDepth/2+1, mixed), ErrDepth},
		{"raw text at the limit", text(MaxDepth), nil},
		{"raw text past it", text(MaxDepth + 1), ErrDepth},
		{"cycle", loop, ErrDepth},
		{"unexported way back", child, nil},
		{"string past the limit", strings.Repeat("x", MaxBytes+1), ErrSize},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Value(tt.in); !errors.Is(err, tt.want) {
				t.Errorf("Value: got %v, want %v", err, tt.want)
			}
			var b bytes.Buffer
			if err := JSON(&b, tt.in, false); !errors.Is(err, tt.want) {
				t.Errorf("JSON: got %v, want %v", err, tt.want)
			}
			if tt.want != nil && b.Len() > 0 {
				t.Errorf("JSON wrote %d bytes and failed", b.Len())
			}
		})
	}
}

func TestIndentedJSONHasASizeLimit(t *testing.T) {
	wide := make([]any, 100_000)
	v := chain(MaxDepth-1, func(v any) any {
		if v == 1 {
			return []any{wide}
		}
		return []any{v}
	})
	var b bytes.Buffer
	if err := JSON(&b, v, true); !errors.Is(err, ErrSize) || b.Len() > 0 {
		t.Errorf("got %v and %d bytes, want %v", err, b.Len(), ErrSize)
	}
}

func TestValueReportsWhatJSONCannotEncode(t *testing.T) {
	for _, v := range []any{
		math.NaN(), make(chan int),
		Object{{"f", func() {}}},
		json.Number("1x"),
		json.RawMessage("{"),
	} {
		if got, err := Value(v); err == nil {
			t.Errorf("%v became %v, want an error", v, got)
		}
	}
}

func FuzzValueReadsWhatJSONReads(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,{"b":"\u00e9\ud83d\ude00"}],"a":null}`, `"\ud800"`, `[1e5,-0.0,true]`, `{}`,
		"\"\xff\"",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var want any
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		if decoder.Decode(&want) != nil || !json.Valid([]byte(text)) {
			return
		}
		got, err := Value(json.RawMessage(text))
		if errors.Is(err, ErrDepth) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if got = plain(got); !reflect.DeepEqual(got, want) {
			t.Errorf("got %#v, want %#v", got, want)
		}
	})
}

// plain turns objects into maps, as encoding/json reads them.
func plain(v any) any {
	switch v := v.(type) {
	case Object:
		members := make(map[string]any, len(v))
		for _, m := range v {
			members[m.Key] = plain(m.Value)
		}
		return members
	case []any:
		items := make([]any, len(v))
		for i := range v {
			items[i] = plain(v[i])
		}
		return items
	}
	return v
}
