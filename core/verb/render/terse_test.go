package render_test

import (
	"net/url"
	"strings"
	"testing"

	"cupola/core/verb/render"
)

func TestTerseIsOneLineOfWords(t *testing.T) {
	doc := object(t, `{"session":"my api","dry_run":false,"n":1.50,"none":null,"empty":"","where":{"x":1,"deep":{"y z":"="}},"rows":[1,2,3],"no_rows":[]}`)
	want := "cupola/1 tail session=my%20api dry_run=false n=1.50 empty=- where.x=1 where.deep.y%20z=%3D rows=3 " +
		"no_rows=0"
	if got := render.Terse("tail", doc); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestARowIsOneWordOfItsValues(t *testing.T) {
	row := object(t, `{"name":"a/b c","n":2,"none":null,"lines":["x","y"],"in":{"deep":true}}`)
	for _, test := range []struct {
		columns []string
		want    string
	}{
		{[]string{"n", "name", "lines", "in.deep", "lacks"}, "cupola/1 tail rows.1=2/a%2Fb%20c/2/true/-"},
		{nil, `cupola/1 tail rows.1=a%2Fb%20c/2/-/["x","y"]/{"deep":true}`},
	} {
		if got := render.Terse("tail",
			render.Object{{Key: "rows.1", Value: render.RowOf(row, test.columns)}}); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}

func TestTerseValueEncodesLineBreaks(t *testing.T) {
	for text, want := range map[string]string{
		"": "-", "-": "%2D", "--": "--", "api.2": "api.2", "a/b": "a/b", "100%": "100%25", "a=b": "a%3Db",
		"a b\tc\n": "a%20b%09c%0A", "é中🙂": "é中🙂", "\u00a0\u2003\u3000": "%C2%A0%E2%80%83%E3%80%80",
		"\x1b[31m": "%1B[31m", "\xff": "%FF", "\ufffd": "\ufffd", "\u202e": "%E2%80%AE",
	} {
		if got := render.TerseValue(text); got != want {
			t.Errorf("TerseValue(%q) = %q, want %q", text, got, want)
		}
	}
}

func FuzzTerseValueIsOneEquivalentWord(f *testing.F) {
	for _, text := range []string{"-", "a b", "%20", "\xff\xc3", "\u2028", "🙂"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		word := render.TerseValue(text)
		if len(strings.Fields(word)) != 1 || strings.ContainsAny(word, "= \n") {
			t.Errorf("%q became %q", text, word)
		}
		if back, err := url.PathUnescape(word); text != "" && (err != nil || back != text) {
			t.Errorf("%q became %q, which says %q (%v)", text, word, back, err)
		}
	})
}

// object returns a document from JSON.
func object(t *testing.T, text string) render.Object {
	t.Helper()
	value, err := render.Value(jsonText(text))
	if err != nil {
		t.Fatal(err)
	}
	doc, ok := value.(render.Object)
	if !ok {
		t.Fatalf("%s is no object", text)
	}
	return doc
}

// jsonText is JSON that is written unchanged.
type jsonText string

func (j jsonText) MarshalJSON() ([]byte, error) { return []byte(j), nil }
