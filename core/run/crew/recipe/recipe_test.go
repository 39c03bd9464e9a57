package recipe

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/run/crew"
)

func TestEveryShippedRecipeLoads(t *testing.T) {
	names, err := Names(t.TempDir())
	if err != nil || !slices.Equal(names, []string{"build", "debate", "review"}) {
		t.Fatalf("%v, %v", names, err)
	}
	for _, name := range names {
		r, err := Load(t.TempDir(), name)
		if err != nil || r.Name != name || r.Description == "" || len(r.Agents) < 2 {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

func TestWrongRecipesNameTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "needs agents",
		"[[agent]]\nrole = \"all\"": "taken",
		"[[agent]]\nrole = \"a b\"": "cannot be the name",
		"stage = \"pans\"\n[[agent]]\nrole = \"a\"":          "headless or panes",
		"promt = \"x\"\n[[agent]]\nrole = \"a\"":             "promt",
		"[limits]\ntimeout = \"x\"\n[[agent]]\nrole = \"a\"": "line 2",
		"[limits]\nmax_turns = -1\n[[agent]]\nrole = \"a\"":  "0 or more",
	} {
		_, err := Parse("crew.toml", text)
		if e := core.AsError(err); !e.HasCode(core.ConfigInvalid) || !strings.Contains(e.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestRecipeOfACrewIsReadBack(t *testing.T) {
	c := &crew.Crew{
		Prompt: "do it", Sandbox: "read-only", Stage: crew.Headless, Limits: crew.DefaultLimits(),
		Members: []crew.Member{{Name: "ada.reviewer", Backend: "claude", Model: "opus", Brief: "read\nall"}},
	}
	text, err := Of(c).Encode("A crew.")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mine.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Load(dir, "mine")
	if err != nil || r.Prompt != "do it" || !reflect.DeepEqual(r.Over(crew.Limits{}), c.Limits) ||
		r.Limits.Timeout != 15*time.Minute ||
		r.Agents[0] != (Agent{"reviewer", "claude", "opus", "read\nall"}) {
		t.Errorf("%v, %+v\n%s", err, r, text)
	}
	if _, err := Load(dir, "mien"); !slices.Equal(core.AsError(err).Suggestions, []string{"mine"}) {
		t.Errorf("a near miss: %v", err)
	}
}
