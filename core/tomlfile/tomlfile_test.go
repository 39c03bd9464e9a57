package tomlfile

import (
	"slices"
	"strings"
	"testing"

	"cupola/core"
)

type item struct {
	Name string         `toml:"name"`
	Free map[string]any `toml:"free"`
	Deep struct {
		Size int `toml:"size"`
	} `toml:"deep"`
}

type document struct {
	Title string `toml:"title"`
	Items []item `toml:"item"`
}

func TestFaultsNameTheirLineAndTheNearWord(t *testing.T) {
	for _, test := range []struct{ why, text, says, near string }{
		{"no TOML", "title = \"a\"\nitem =\n", "f.toml: line 2: ", ""},
		{"a key at the top", "title = \"a\"\ntitel = \"b\"\n", "line 2: unknown key titel", "title"},
		{"a table", "\n[[itme]]\nname = \"a\"\n", "line 2: unknown key itme", "item"},
		{"a key of an element", "title = \"a\"\n[[item]]\nname = \"a\"\n[[item]]\nnme = \"b\"\n", "line 5: unknown key item.nme", "name"},
		{"a key of a table in it", "[[item]]\n[item.deep]\nsiez = 1\n", "line 3: unknown key item.deep.siez", "size"},
		{"a key with dots", "[[item]]\ndeep.siez = 1\n", "unknown key item.deep.siez", "size"},
		{"a wrong type", "title = 5\n", "f.toml: ", ""},
		{"nothing near", "zzz = 1\n", "line 1: unknown key zzz", ""},
	} {
		err := Decode("f.toml", test.text, new(document))
		e := core.AsError(err)
		if !e.HasCode(core.ConfigInvalid) || !strings.Contains(e.Message, test.says) {
			t.Errorf("%s: got %v, want %s", test.why, err, test.says)
			continue
		}
		if test.near != "" && (!slices.Contains(e.Suggestions, test.near) || e.Hint != "Did you mean "+test.near+"?") {
			t.Errorf("%s: suggestions %q, hint %q", test.why, e.Suggestions, e.Hint)
		}
	}
}

func TestTablesOfAnyKeyTakeAnyKey(t *testing.T) {
	var doc document
	if err := Decode("f.toml", "[[item]]\nfree = {a = 1, b = [\"x\"]}\n", &doc); err != nil || len(doc.Items[0].Free) != 2 {
		t.Errorf("got %+v, %v", doc, err)
	}
}

func TestElementsAreFoundByTheirLine(t *testing.T) {
	text := "# [[item]]\n[[item]]\nname = \"a\"\n[[other]]\n  [[ item ]] # second\n"
	for n, want := range []int{2, 5, 1} {
		if got := ElementLine(text, "item", n); got != want {
			t.Errorf("element %d is at line %d, want %d", n, got, want)
		}
	}
}

func FuzzDecodeReadsOrExplains(f *testing.F) {
	f.Add("[[item]]\nnme = 1\n")
	f.Add("a.b.c = 1\n[\"x y\".z]\n")
	f.Fuzz(func(t *testing.T, text string) {
		if err := Decode("f.toml", text, new(document)); err != nil && !core.AsError(err).HasCode(core.ConfigInvalid) {
			t.Fatalf("%q: %v", text, err)
		}
	})
}
