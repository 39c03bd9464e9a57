package literal

import (
	"reflect"
	"testing"
	"time"
)

type place struct {
	Name   string
	Far    time.Duration
	Of     []place
	By     map[string]int
	Near   *place
	secret int
}

func TestAValueIsWrittenAsGoWritesIt(t *testing.T) {
	w := Writer{Package: "literal"}
	w.Value(reflect.ValueOf(&place{
		Name: "a \"b\"\n", Far: 90 * time.Second, secret: 1, By: map[string]int{"y": 2, "x": 1}, Of: []place{{}, {Name: "c"}}, Near: &place{},
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
}`
	if got := w.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
