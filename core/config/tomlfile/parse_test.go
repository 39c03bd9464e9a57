package tomlfile_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"cupola/core/config/tomlfile"
)

func TestWhatIsTooDeepIsNotParsed(t *testing.T) {
	name := strings.Repeat("a.", 50_000) + "a"
	for what, text := range map[string]string{
		"a name":            name + " = 1",
		"a header":          "[" + name + "]",
		"a quoted name":     strings.Repeat(`"a".`, 1000) + "a = 1",
		"a name in a table": "t = {x = '''x'''', " + name + " = 1}",
		"a list":            "a = " + strings.Repeat("[", 2_000_000),
		"a list of lists":   "a = " + strings.Repeat("[", 100) + strings.Repeat("]", 100),
		"tables":            "a = " + strings.Repeat("{a=", 1_000_000),
		"behind a text":     "b = \"\"\"\n\"\"\"\"\"\n" + name + " = 1",
	} {
		var into map[string]any
		_, err := tomlfile.Parse("# first\n"+text, &into)
		line, said := 0, ""
		if err != nil {
			line, said = tomlfile.Fault(err)
		}
		if !errors.As(err, new(toml.ParseError)) || line < 2 || !strings.Contains(said, "more than 16") {
			t.Errorf("%s: %.200v", what, err)
		}
	}
	if err := tomlfile.Decode("f", strings.Repeat("#", 5<<20), &struct{}{}); err == nil ||
		!strings.Contains(err.Error(), "longer than") {
		t.Errorf("a long text: %v", err)
	}
}

func TestTextsMayHoldAnything(t *testing.T) {
	odd := strings.Repeat(".", 500) + strings.Repeat("[", 500) + strings.Repeat("{", 500)
	for _, text := range []string{
		`a = "` + odd + `"`, "a = '" + odd + "'", "a = '''\n" + odd + "'''", "a = \"\"\"\n" + odd + "\"\"\"",
		"# " + odd, "a = 1 # " + odd, strings.Repeat("[[a]]\nb = [1.5, {c = 2.5}]\n", 1000),
		"a = [" + strings.Repeat("1.5,", 1000) + "]",
	} {
		var into map[string]any
		if _, err := tomlfile.Parse(text, &into); err != nil {
			t.Errorf("%.60s: %v", text, err)
		}
	}
}

func FuzzNoNameIsDeeperThanIsParsed(f *testing.F) {
	deep := strings.Repeat("a.", 700) + "a = 1"
	for _, text := range []string{
		deep, "[" + deep, "a = '''x''''\n" + deep, "a = {b = \"\"\"\"\"\"\"\", " + deep + "}",
		"'' = 1\n" + deep, "a = \"\\\"\n" + deep,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var into map[string]any
		meta, err := tomlfile.Parse(text, &into)
		if err != nil {
			return
		}
		for _, key := range meta.Keys() {
			// A name within brackets has the parts of what they are the value of.
			if len(key) > 16*17+16 {
				t.Errorf("%q has a name of %d parts", text, len(key))
			}
		}
	})
}
