package render

import (
	"strings"
	"testing"
)

func TestFilledRowsBecomeATable(t *testing.T) {
	for _, c := range []struct{ name, json, want string }{
		{"rows that lack a column", `{"p":[{"a":1,"c":"x"},{"a":2,"b":"m","c":"y"}]}`, "p[2]{a,b,c}:\n  1,null,x\n  2,m,y"},
		{"lists of words", `{"p":[{"a":1,"n":[]},{"a":2,"n":["draft","queued"]}]}`, "p[2]{a,n}:\n  1,\"\"\n  2,draft queued"},
		{"a list of sentences", `{"p":[{"a":1,"n":["two words"]}]}`, "p[1]:\n  - a: 1\n    n[1]: two words"},
		{"rows in rows", `{"p":[{"a":1,"q":[{"i":1,"x":1},{"i":2,"y":2}]}]}`, "p[1]:\n  - a: 1\n    q[2]{i,y,x}:\n      1,null,1\n      2,2,null"},
		{"objects in rows", `{"p":[{"a":{"x":1}},{"a":{"x":2,"y":3}}]}`, "p[2]{a{x,y}}:\n  1,null\n  2,3"},
		{"an object that a row lacks", `{"p":[{"a":1},{"a":{"x":2}}]}`, "p[2]:\n  - a: 1\n  - a:\n      x: 2"},
		{"no rows", `{"p":[]}`, "p: []"},
	} {
		value, err := parse([]byte(c.json))
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := TOON(&b, Filled(value)); err != nil || b.String() != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.name, err, b.String(), c.want)
		}
	}
}
