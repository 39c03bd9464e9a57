package tomlfile

import (
	"fmt"
	"reflect"
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
	Title string            `toml:"title"`
	Words map[string]string `toml:"words"`
	Items []item            `toml:"item"`
}

func TestFaultsNameTheirLineAndTheNearWord(t *testing.T) {
	for _, test := range []struct{ why, text, says, near string }{
		{"no TOML", "title = \"a\"\nitem =\n", "f.toml: line 2: ", ""},
		{"a key at the top", "title = \"a\"\ntitel = \"b\"\n", "line 2: unknown key titel", "title"},
		{"a table", "\n[[itme]]\nname = \"a\"\n", "line 2: unknown key itme", "item"},
		{
			"a key of an element", "title = \"a\"\n[[item]]\nname = \"a\"\n[[item]]\nnme = \"b\"\n",
			"line 5: unknown key item.nme", "name",
		},
		{"a key of a table in it", "[[item]]\n[item.deep]\nsiez = 1\n", "line 3: unknown key item.deep.siez", "size"},
		{"a key with dots", "[[item]]\ndeep.siez = 1\n", "unknown key item.deep.siez", "size"},
		{"a wrong type", "\ntitle = 5\n", "f.toml: line 2: title is a whole number; it must be a text", ""},
		{"no list", "[item]\nname = \"a\"\n", "line 1: item is a section; it must be a list", ""},
		{"no section", "[[item]]\ndeep = 1\n", "line 2: item.deep is a whole number; it must be a section", ""},
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

func TestAllProblemsOfATextAreReportedAtOnce(t *testing.T) {
	text := "titel = \"a\"\nwords = {a = \"b\", c = 1}\n[[item]]\nname = 5\n[[item]]\nfree = [1]\n[[item]]\nnme = " +
		"\"c\"\n[item.deep]\nsize = \"big\"\n[[item]]\nname = \"d\"\n"
	var doc document
	problems := Check(text, &doc)
	var got []string
	for _, p := range problems {
		got = append(got, fmt.Sprintf("%d %s", p.Line, p.What))
	}
	want := []string{
		"1 unknown key titel", "2 words.c is a whole number; it must be a text",
		"4 item.name is a whole number; it must be a text", "6 item.free is a list; it must be a section",
		"8 unknown key item.nme", "10 item.deep.size is a text; it must be a whole number",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(doc.Items) != 4 || doc.Items[3].Name != "d" {
		t.Errorf("what is right was not read: %+v", doc)
	}
	err := core.AsError(Decode("f.toml", text, new(document)))
	if !strings.HasPrefix(err.Message, "f.toml: line 1: unknown key titel; line 2: words.c is") ||
		!slices.Equal(err.Suggestions, []string{"title"}) {
		t.Errorf("got %v, %q", err, err.Suggestions)
	}
}

func TestTablesOfAnyKeyTakeAnyKey(t *testing.T) {
	var doc document
	if err := Decode("f.toml", "[[item]]\nfree = {a = 1, b = [\"x\"]}\n", &doc); err != nil ||
		len(doc.Items[0].Free) != 2 {
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

func TestLinesOfATextInQuotesAreNoStatements(t *testing.T) {
	text := "[[item]]\nname = \"\"\"\n[[item]]\nsize = 1 # \"\"\"\n[[item]]\n[item.deep]\nsize = 2\n"
	if got := ElementLine(text, "item", 1); got != 5 {
		t.Errorf("the second element is at line %d", got)
	}
	if got := LineOf(text, "item.deep.size"); got != 7 {
		t.Errorf("the size is at line %d", got)
	}
}

func TestKeysAreThoseOfTheStructAtAPath(t *testing.T) {
	type shelf struct {
		Plain string
		Other int              `toml:"-"`
		Items map[string]*item `toml:"items"`
	}
	for path, want := range map[string]string{
		"": "plain items", "items x": "name free deep", "items x deep": "size",
		"plain": "", "none": "",
	} {
		if got := strings.Join(Keys(reflect.TypeFor[shelf](), strings.Fields(path)...), " "); got != want {
			t.Errorf("at %q: %q", path, got)
		}
	}
}

func FuzzStatementsStandInTheText(f *testing.F) {
	f.Add("# x\n[a]\nb = [1, # y\n2]\nc.d = '''\n''' \n[[e]]")
	f.Add("[\"")
	f.Fuzz(func(t *testing.T, text string) {
		at := 0
		for _, s := range Statements(text) {
			if s.From < at || s.To < s.From || s.To > len(text) || s.Value > s.ValueEnd || s.ValueEnd > len(text) {
				t.Fatalf("%q: %+v behind %d", text, s, at)
			}
			at = s.To
			LineOf(text, s.Name)
		}
	})
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
