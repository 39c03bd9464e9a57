package render

import (
	"bytes"
	"encoding/json"
	"reflect"
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

// ACore is what other structs embed.
type ACore struct {
	Place string   `json:"place,omitempty"`
	Words []string `json:"words"`
}

// aPlain is a value of every kind that a plan writes.
type aPlain struct {
	Untagged string
	Named    aName    `json:"named"`
	Rows     []aRow   `json:"rows"`
	More     []aRow   `json:"more,omitempty"`
	Pair     [2]int8  `json:"pair"`
	None     [0]int   `json:"none,omitempty"`
	Row      aRow     `json:"row,omitempty"`
	To       *aRow    `json:"to"`
	Maybe    *uint16  `json:"maybe,omitempty"`
	Deep     [][]*int `json:"deep"`
	Part     float64  `json:"part"`
	Little   float64  `json:"little,omitempty"`
	Text     string   `json:"text,omitempty"`
	Big      uint64   `json:"big"`
	Least    int64    `json:"least,omitempty"`
	ACore
	Asked aRow `json:"asked,omitzero"`
}

func TestPlainValuesAreWrittenAsByEncodingJSON(t *testing.T) {
	if planOf(reflect.TypeFor[aPlain]()) == nil {
		t.Fatal("it is not plain")
	}
	like := func(v any) bool {
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v); err != nil {
			t.Fatal(err)
		}
		got, err := appendOther(nil, v)
		if err != nil || string(got)+"\n" != want.String() {
			t.Errorf("got %s (%v)\nwant %s", got, err, &want)
			return false
		}
		return true
	}
	like(aPlain{})
	like(aPlain{ACore: ACore{Place: "here", Words: []string{"a"}}, Asked: aRow{On: true}})
	like(aPlain{Untagged: "\xff\u2028<&>\"\\\x00", Rows: []aRow{}, To: &aRow{Hidden: "x"}, Part: 1e-9, Little: 1e21})
	like(struct{ own, X int }{1, 2})
	if err := quick.Check(func(v aPlain) bool { return like(v) }, &quick.Config{MaxCount: 300}); err != nil {
		t.Error(err)
	}
}

type itself struct{ X int }

func (*itself) MarshalText() ([]byte, error) { return []byte("itself"), nil }

type list []list

func TestWhatIsNotPlainIsLeftToEncodingJSON(t *testing.T) {
	type endless struct{ Next *endless }
	type row struct{ *aRow }
	for _, v := range []any{
		time.Time{},
		json.Number("1"), json.RawMessage(`1`),
		map[string]int{"a": 1},
		[]any{1},
		[]byte("x"),
		itself{},
		[]itself{{}},
		list{{}},
		endless{},
		row{},
		float32(1), uintptr(1),
		struct{ X any }{1},
		&struct{ X chan int }{},
		struct {
			X int `json:",string"`
		}{},
		struct {
			X int `json:"a b"`
		}{},
		struct {
			X int `json:"Y"`
			Y int
		}{},
		struct {
			X time.Duration `json:"x,omitzero,string"`
		}{},
	} {
		if planOf(reflect.TypeOf(v)) != nil {
			t.Errorf("%T is taken for plain", v)
		}
	}
	if _, err := appendOther(nil, []string{strings.Repeat("x", MaxBytes), "y"}); err == nil {
		t.Error("there is no limit")
	}
}
