package intent_test

import (
	"slices"
	"strings"
	"testing"

	"cupola/tui/intent"
)

func TestKeymapMovesKeys(t *testing.T) {
	_, err := tables.ReadKeymap("keys.toml", `
[everywhere]
q = ["=", "ctrl+q"]
":" = "SPACE"
"ctrl+k" = "ctrl+o"
[tree]
s = "&"
o = "s"
" " = "PgDn"
pgdown = "f12"
`)
	if err == nil || !strings.Contains(err.Error(), `[tree] Space would mean both`) &&
		!strings.Contains(err.Error(), "Space would mean both") {
		t.Fatalf("a key with two meanings: %v", err)
	}
	keys, err := tables.ReadKeymap("keys.toml", `
[everywhere]
q = ["=", "ctrl+q"]
[tree]
s = "&"
o = "s"
" " = "PgDn"
pgdown = "f12"
`)
	if err != nil {
		t.Fatal(err)
	}
	tree := keys.Of(&intent.Tree)
	for key, want := range map[string]intent.Intent{
		"&": intent.AskSend{}, "s": intent.Open{Screen: "output", Selected: true},
		"pgdown": intent.Peek{}, "f12": intent.Turn{By: 1},
		"=": intent.Quit{}, "ctrl+q": intent.Quit{}, "ctrl+c": intent.Quit{}, "tab": intent.Peek{},
	} {
		if found := tree.Find(key); found == nil || found.Intent != want {
			t.Errorf("%s means %v, not %T", key, found, want)
		}
	}
	for _, gone := range []string{"q", "o", " "} {
		if found := tree.Find(gone); found != nil {
			t.Errorf("%q still means %T", gone, found.Intent)
		}
	}
	if !slices.Contains(tree.Footer, "&") || slices.Contains(tree.Footer, "q") {
		t.Errorf("the footer shows %q", tree.Footer)
	}
	if grid := keys.Of(&intent.Grid); grid.Find("s").Intent != (intent.AskSend{}) || grid.Find("q") != nil {
		t.Error("the keys of the grid are not its own and those of everywhere")
	}
	if form := keys.Of(&intent.Form); form != &intent.Form {
		t.Error("a form has other keys")
	}
}

func TestKeymapFaultsAreReportedWithTheirTable(t *testing.T) {
	for text, want := range map[string]string{
		"[tre]\ns = \"p\"":                    "[tre] is no table of keys; did you mean tree?",
		"[tree]\n\"=\" = \"&\"":               "[tree] = does nothing there by default",
		"[tree]\ns = \"pgdwn\"":               `there is no key "pgdwn"; did you mean pgdown?`,
		"[tree]\ns = 1":                       "1 is not the name of a key in quotes",
		"[tree]\ns = []":                      "no key is given",
		"[tree]\ns = \"i\"":                   `[tree] i would mean both "send a prompt" and "interrupt its turn"`,
		"[forms]\n\"ctrl+s\" = \"s\"":         "s is typed there",
		"[everywhere]\ns = \"&\"":             "[everywhere]: s is not a key of all screens",
		"[tree\n":                             "keys.toml",
		"[palette]\nenter = \"ctrl+\\u0000\"": "there is no key",
	} {
		keys, err := tables.ReadKeymap("keys.toml", text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %q", text, err, want)
		}
		if tree := keys.Of(&intent.Tree); tree.Find("s").Intent != (intent.AskSend{}) {
			t.Errorf("%s: the usual keys are gone", text)
		}
	}
}

func FuzzKeymap(f *testing.F) {
	f.Add("[tree]\ns = \"p\"\n[everywhere]\nq = [\"Q\"]")
	f.Fuzz(func(t *testing.T, text string) {
		keys, _ := tables.ReadKeymap("keys.toml", text)
		for _, scope := range tables.Scopes {
			moved := keys.Of(scope)
			if len(moved.Bindings) != len(tables.Keymap().Of(scope).Bindings) {
				t.Fatalf("%s lost keys", scope.Name)
			}
			moved.ShortHelp()
		}
	})
}
