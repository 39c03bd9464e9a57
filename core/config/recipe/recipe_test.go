package recipe

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"cupola/core"
)

func TestARecipeSaysWhatIsWrongWithItsPanes(t *testing.T) {
	for _, test := range []struct{ why, text, says string }{
		{"too many", "[[pane]]\nkind = \"cc\"\n[[pane]]\nkind = \"cc\"\ncount = 51\n", "r.toml: line 3: count is 51"},
		{"a name of several", "[[pane]]\nkind = \"cc\"\ncount = 2\nname = \"a\"\n", "line 1: a pane with a count"},
		{"a name twice", "[[pane]]\nname = \"a\"\n[[pane]]\nname = \"a\"\n", "line 3: the name \"a\" is taken"},
		{"an ordinal twice", "[[pane]]\nordinal = 0\n[[pane]]\nordinal = 0\n", "line 3: the ordinal 0 is taken"},
		{"a low ordinal", "[[pane]]\nordinal = -1\n", "ordinal is -1"},
		{"a model of nothing", "[[pane]]\nmodel = \"opus\"\n", "a model needs a kind"},
		{"nothing to resume", "[[pane]]\nresume = \"x\"\n", "needs a kind"},
		{"no command", "[[pane]]\nkind = \"command\"\n", "needs a command"},
		{"an unknown key", "[[pane]]\nkinb = \"cc\"\n", "line 2: unknown key pane.kinb"},
	} {
		if _, err := parse("r.toml", test.text); !core.AsError(err).HasCode(core.ConfigInvalid) ||
			!strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: got %v, want %s", test.why, err, test.says)
		}
	}
}

func TestAWrittenRecipeReadsBack(t *testing.T) {
	text := rapid.StringOf(rapid.SampledFrom([]rune("ab '\"\\\n\t$é🙂#=[]")))
	rapid.Check(t, func(t *rapid.T) {
		r := &Recipe{
			Dir: "/src", Layout: "tiled", Prompt: text.Draw(t, "prompt"),
			NoUserPane: rapid.Bool().Draw(t, "alone"), Panes: []Pane{},
		}
		for i := range rapid.IntRange(0, 3).Draw(t, "panes") {
			n := i
			r.Panes = append(r.Panes,
				Pane{
					Kind: "claude", Command: text.Draw(t, "command"), Ordinal: &n, Resume: "x",
					Environment: Environment{Env: []string{"A", "B=" + text.Draw(t, "value")}},
				})
		}
		if len(r.Panes) > 0 {
			r.Sent = []Sent{{
				At: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC), To: "api.1",
				Text: text.Draw(t, "sent"),
			}}
		}
		written, err := r.Encode("a comment\nof two lines")
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(written, "count") || strings.Contains(written, "worktree") {
			t.Fatalf("what is not said is written:\n%s", written)
		}
		back, err := parse("r.toml", written)
		if err != nil {
			t.Fatalf("%v\n%s", err, written)
		}
		if len(back.Panes) == 0 {
			back.Panes = []Pane{}
		}
		if !reflect.DeepEqual(back, r) {
			t.Fatalf("got %+v\nwant %+v\n%s", back, r, written)
		}
	})
}

func TestPresetsAreKnownByName(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "crew.toml")
	if err := os.WriteFile(file, []byte("dir = \"~/src\"\n[[pane]]\nkind = \"cc\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", "/home/somebody")
	for _, word := range []string{"crew", file} {
		if r, err := Load(dir, word); err != nil || len(r.Panes) != 1 || r.Dir != "/home/somebody/src" {
			t.Errorf("%s: got %+v, %v", word, r, err)
		}
	}
	_, err := Load(dir, "craw")
	if e := core.AsError(err); !e.HasCode(core.NotFound) || !slices.Equal(e.Suggestions, []string{"crew"}) {
		t.Errorf("got %v", err)
	}
	for _, word := range []string{"none.toml", filepath.Join(dir, "none", "x")} {
		if _, err := Load(dir, word); !core.AsError(err).HasCode(core.ConfigNotFound) {
			t.Errorf("%s: got %v", word, err)
		}
	}
	if _, err := Load(filepath.Join(dir, "none"), "crew"); !core.AsError(err).HasCode(core.NotFound) {
		t.Errorf("got %v", err)
	}
	if _, err := Load(dir, dir+"/"); !core.AsError(err).HasCode(core.IOError) {
		t.Errorf("got %v", err)
	}
}

func TestOnlyFilesOfPresetsAreListed(t *testing.T) {
	dir := t.TempDir()
	_, err := Load(dir, "crew")
	if e := core.AsError(err); !e.HasCode(core.NotFound) || !slices.Contains(e.Remedies, core.RemedySavePreset) ||
		e.Subject.Dir != dir {
		t.Errorf("of an empty folder: %+v", e)
	}
	for _, name := range []string{"b.toml", "a.toml", ".toml", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if names, err := presets(dir); err != nil || !slices.Equal(names, []string{"a", "b"}) {
		t.Errorf("got %q, %v", names, err)
	}
	if _, err := Load(dir, "crew"); core.AsError(err).Hint != "There are: a, b." {
		t.Errorf("got %+v", err)
	}
}

func TestAPaneIsTheUsersWhereNothingIsStartedInIt(t *testing.T) {
	r, err := parse("r.toml", "[[pane]]\n[[pane]]\nkind = \"cc\"\ncount = 1\nname = \"lead\"\n[[pane]]\ncommand = "+
		"\"htop\"\n")
	if err != nil {
		t.Fatal(err)
	}
	for i, user := range []bool{true, false, false} {
		if r.Panes[i].User() != user {
			t.Errorf("%+v: the user's is %v", r.Panes[i], !user)
		}
	}
}

func FuzzParseReadsOrExplains(f *testing.F) {
	f.Add("dir = \"/src\"\n[[pane]]\nkind = \"cc\"\ncount = 2\n")
	f.Add("[[pane]]\nordinal = 1\n[[sent]]\nat = 2026-01-31T12:00:00Z\n")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := parse("r.toml", text); err != nil && !core.AsError(err).HasCode(core.ConfigInvalid) {
			t.Fatalf("%q: %v", text, err)
		}
	})
}
