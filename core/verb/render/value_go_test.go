package render

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"testing/quick"
	"time"
)

type aName string

type aRow struct {
	Name   string `json:"name"`
	Count  int    `json:"count"`
	On     bool   `json:"on,omitempty"`
	Hidden string `json:"-"`
}

// ACore is embedded by other structs.
type ACore struct {
	Place string    `json:"place,omitempty"`
	Words [1]string `json:"words"`
}

// AnOther and ATwin have a field of the same name, which neither means.
type AnOther struct{ Same, Other int }

// ATwin is the twin of AnOther.
type ATwin struct{ Same int }

// aKnown says itself that it is zero.
type aKnown int

func (n aKnown) IsZero() bool { return n < 0 }

// aValue has a field of every type that has a writer of its own. No list in it is nil.
type aValue struct {
	Untagged string
	Named    aName                `json:"named"`
	Rows     [1]aRow              `json:"rows"`
	More     []aRow               `json:"more,omitempty"`
	Pair     [2]int8              `json:"pair"`
	None     [0]int               `json:"none,omitempty"`
	Row      aRow                 `json:"row,omitempty"`
	To       *aRow                `json:"to"`
	Maybe    *uint16              `json:"maybe,omitempty"`
	Deep     [2][1]*int           `json:"deep"`
	Part     float64              `json:"part"`
	Small    float32              `json:"small"`
	Little   float64              `json:"little,omitempty"`
	Text     string               `json:"text,omitempty"`
	Big      uint64               `json:"big"`
	Least    int64                `json:"least,omitempty"`
	By       map[aName]aRow       `json:"by,omitempty"`
	Known    aKnown               `json:"known,omitzero"`
	Bytes    []byte               `json:"bytes"`
	Own      itself               `json:"own"`
	OwnToo   *itself              `json:"own_too"`
	Number   json.RawMessage      `json:"number,omitempty"`
	Any      [2]any               `json:"any"`
	Next     *aValue              `json:"next,omitempty"`
	Odd      struct{ X chan int } `json:"-"`
	ACore
	AnOther
	ATwin
	Asked aRow `json:"asked,omitzero"`
	// Place takes the place of those of the embedded struct.
	Place string `json:"place"`
}

func TestGoValuesAreWrittenAsByEncodingJSON(t *testing.T) {
	like := func(v any) bool {
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v); err != nil {
			t.Fatal(err)
		}
		got, err := appendJSON(nil, v, 0)
		// What is no UTF-8 is replaced as the document is built, so that it needs no escape.
		if err != nil || string(got)+"\n" != strings.ReplaceAll(want.String(), `\ufffd`, "\ufffd") {
			t.Errorf("got %s (%v)\nwant %s", got, err, &want)
			return false
		}
		return true
	}
	like(aValue{})
	like(&aValue{})
	like(aValue{
		ACore: ACore{Place: "here", Words: [1]string{"a"}}, Asked: aRow{On: true}, Known: -1, Place: "there",
		OwnToo: &itself{}, Number: json.RawMessage(`1.50`), Any: [2]any{map[string]any{"b": 1, "a": "<"}, aRow{}},
		Next: &aValue{Untagged: "next"},
	})
	like(aValue{Untagged: "\xff\u2028<&>\"\\\x00", To: &aRow{Hidden: "x"}, Part: 1e-9, Little: 1e21})
	like(struct{ own, X int }{1, 2})
	like(struct {
		ACore
		More AnOther `json:",omitempty"`
	}{})
	like(struct {
		X int `json:",string"`
	}{})
	like(struct {
		X int `json:"a-b"`
	}{})
	like(struct{ *aRow }{})
	like(map[int]string{2: "b", 1: "a"})
	like(list{{}, {{}}})
	if err := quick.Check(func(part float64, small float32, text string, on bool, by map[aName]aRow, big uint64) bool {
		return like(aValue{Part: part, Small: small, Text: text, Untagged: text, Row: aRow{On: on}, By: by, Big: big})
	}, &quick.Config{MaxCount: 300}); err != nil {
		t.Error(err)
	}
}

type itself struct{ X int }

func (*itself) MarshalText() ([]byte, error) { return []byte("itself"), nil }

type list []list

func TestTimesAndListsAreWrittenAlikeInAllAnswers(t *testing.T) {
	at := time.Date(2026, 7, 1, 14, 0, 0, 999, time.FixedZone("", 2*3600))
	for _, tt := range []struct {
		value any
		want  string
	}{
		{at, `"2026-07-01T12:00:00Z"`},
		{&at, `"2026-07-01T12:00:00Z"`},
		{time.Time{}, `""`},
		{struct {
			At    time.Time `json:"at,omitzero"`
			Until time.Time `json:"until,omitzero"`
		}{At: at}, `{"at":"2026-07-01T12:00:00Z"}`},
		{map[string]any{"at": []time.Time{at}}, `{"at":["2026-07-01T12:00:00Z"]}`},
		{Object{{"row", struct{ At any }{at}}}, `{"row":{"At":"2026-07-01T12:00:00Z"}}`},
		{aRow{}, `{"name":"","count":0}`},
		{struct{ Words []string }{}, `{"Words":[]}`},
		{[][]string{nil}, `[[]]`},
		{[]any(nil), `[]`},
		{map[string]int(nil), `{}`},
		{struct{ To *ACore }{}, `{"To":null}`},
	} {
		if got, err := appendJSON(nil, tt.value, 0); err != nil || string(got) != tt.want {
			t.Errorf("%#v: got %s (%v), want %s", tt.value, got, err, tt.want)
		}
	}
	if _, err := appendJSON(nil, []string{strings.Repeat("x", MaxBytes), "y"}, 0); err == nil {
		t.Error("there is no limit")
	}
}
