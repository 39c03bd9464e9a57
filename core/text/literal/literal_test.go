package literal

import (
	"reflect"
	"testing"
	"time"
)

type shape struct {
	Sides []side
	Name  string
}

type side struct{ N int }

type place struct {
	Name   string
	Far    time.Duration
	Of     []place
	By     map[string]int
	Near   *place
	Shape  *shape
	secret int
}

func TestAValueIsWrittenAsGoWritesIt(t *testing.T) {
	w := Writer{Package: "literal", Inline: []reflect.Type{reflect.TypeFor[shape](), reflect.TypeFor[side]()}}
	w.Value(reflect.ValueOf(&place{
		Name: "a \"b\"\n", Far: 90 * time.Second, secret: 1, By: map[string]int{"y": 2, "x": 1},
		Of: []place{{}, {Name: "c"}}, Near: &place{},
		Shape: &shape{Sides: []side{{1}, {2}}, Name: "c,\n"},
	}))
	want := `&place{
Name: "a \"b\"\n",
Far: 90000 * time.Millisecond,
Of: []place{place{
}, place{
Name: "c",
}},
By: map[string]int{
"x": 1,
"y": 2,
},
Near: &place{
},
Shape: &shape{Sides: []side{side{N: 1}, side{N: 2}}, Name: "c,\n"},
}`
	if got := w.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
