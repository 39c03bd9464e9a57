package palette

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/config"
)

const review = "[[prompt]]\nkey = \"review\"\ntext = \"Review the diff.\"\ncategory = \"git\"\ntags = " +
	"[\"diff\"]\nsessions = [\"api\", \"web-*\"]\n"

// write makes a file with its folders.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// at is a place of a user without a home.
func at(paths config.Paths, dir string) config.Location {
	return config.Location{Paths: paths, Dir: dir, Getenv: func(string) string { return "" }}
}

func TestTheUsersPromptsComeBeforeThoseOfTheProject(t *testing.T) {
	paths, project := config.Paths{Config: t.TempDir()}, t.TempDir()
	write(t, paths.Palette(), review)
	write(t, filepath.Join(project, projectFile),
		"[[prompt]]\nkey = \"review\"\ntext = \"Another.\"\n[[prompt]]\nkey = \"ship\"\ntext = \"Ship it.\"\n")
	write(t, filepath.Join(project, ".git", "HEAD"), "")
	below := filepath.Join(project, "a", "b")
	if err := os.MkdirAll(below, 0o700); err != nil {
		t.Fatal(err)
	}
	prompts, err := Load(at(paths, below))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range prompts {
		origin := "user"
		if p.Origin == filepath.Join(project, projectFile) && p.Project {
			origin = "project"
		}
		if p.Shadowed {
			origin += " shadowed"
		}
		got = append(got, p.Key+" "+origin)
	}
	if want := []string{"review user", "review project shadowed", "ship project"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if p, err := Find(prompts, "review"); err != nil || p.Text != "Review the diff." || p.Label != "review" {
		t.Errorf("got %+v, %v", p, err)
	}
	if p, err := Find(prompts, "ship"); err != nil || !p.Project {
		t.Errorf("got %+v, %v", p, err)
	}
	_, err = Find(prompts, "reviw")
	if e := core.AsError(err); !e.HasCode(core.NotFound) || !slices.Contains(e.Suggestions, "review") {
		t.Errorf("got %v", err)
	}
}

func TestPromptsAboveTheProjectAreNotItsOwn(t *testing.T) {
	above := t.TempDir()
	write(t, filepath.Join(above, projectFile), review)
	project := filepath.Join(above, "project")
	write(t, filepath.Join(project, ".git", "HEAD"), "")
	for _, dir := range []string{project, filepath.Join(above, "scratch")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if prompts, err := Load(at(config.Paths{Config: t.TempDir()}, dir)); err != nil || len(prompts) != 0 {
			t.Errorf("in %s: %+v, %v", dir, prompts, err)
		}
	}
}

func TestWithoutFilesThereAreNoPrompts(t *testing.T) {
	if prompts, err := Load(at(config.Paths{Config: t.TempDir()}, t.TempDir())); err != nil || len(prompts) != 0 {
		t.Errorf("got %v, %v", prompts, err)
	}
}

func TestPromptsAreOfferedWhereTheirPatternsFit(t *testing.T) {
	prompts, err := parse("p.toml", review)
	if err != nil {
		t.Fatal(err)
	}
	for session, want := range map[string]bool{"api": true, "web-1": true, "web": false, "": false} {
		if got := prompts[0].Offered(session); got != want {
			t.Errorf("%q: %v", session, got)
		}
	}
	if everywhere := (&Prompt{}); !everywhere.Offered("any") {
		t.Error("a prompt without sessions is not offered")
	}
	for search, want := range map[string]bool{"": true, "DIFF review": true, "git": true, "review ship": false} {
		if got := prompts[0].Mentions(search); got != want {
			t.Errorf("%q: %v", search, got)
		}
	}
}

func TestAPaletteThatCannotBeUnderstoodNamesTheLine(t *testing.T) {
	for _, test := range []struct{ why, text, says, near string }{
		{"no TOML", "[[prompt]]\nkey = \n", "p.toml: line 2: ", ""},
		{"a wrong type", "[[prompt]]\nkey = 5\n", "is a whole number; it must be a text", ""},
		{"no key", review + "# [[prompt]]\n[[prompt]]\ntext = \"x\"\n", "line 8: the prompt has no key", ""},
		{"an odd key", "[[prompt]]\nkey = \"a b\"\ntext = \"x\"\n", "line 1: the key \"a b\" must", ""},
		{"no text", "\n[[ prompt ]]\nkey = \"a\"\ntext = \" \"\n", "line 2: the prompt \"a\" has no text", ""},
		{"a key twice", review + review, "line 7: the key \"review\" is taken by the prompt at line 1", ""},
		{
			"no pattern", "[[prompt]]\nkey = \"a\"\ntext = \"x\"\nsessions = [\"[\"]\n",
			"line 1: the prompt \"a\": \"[\" is no pattern", "",
		},
		{"an unknown key", "[[prompt]]\nkey = \"a\"\ntxet = \"x\"\n", "line 3: unknown key prompt.txet", "text"},
		{"an unknown table", "[[promt]]\nkey = \"a\"\n", "line 1: unknown key promt", "prompt"},
	} {
		_, err := parse("p.toml", test.text)
		e := core.AsError(err)
		if !e.HasCode(core.ConfigInvalid) || !strings.Contains(e.Message, test.says) {
			t.Errorf("%s: got %v, want %s", test.why, err, test.says)
			continue
		}
		if test.near != "" && !slices.Contains(e.Suggestions, test.near) {
			t.Errorf("%s: suggestions %q", test.why, e.Suggestions)
		}
	}
}

func TestAPaletteThatCannotBeReadIsAnError(t *testing.T) {
	paths := config.Paths{Config: t.TempDir()}
	if err := os.Mkdir(paths.Palette(), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(at(paths, "")); !core.AsError(err).HasCode(core.ConfigInvalid) {
		t.Errorf("got %v", err)
	}
}

func FuzzParseReadsOrExplains(f *testing.F) {
	f.Add(review)
	f.Add("prompt = 1")
	f.Add("[[prompt]]\n\xff")
	f.Fuzz(func(t *testing.T, text string) {
		prompts, err := parse("p.toml", text)
		if err != nil && !core.AsError(err).HasCode(core.ConfigInvalid) {
			t.Fatalf("%q: %v", text, err)
		}
		for _, p := range prompts {
			if found, err := Find(prompts, p.Key); err != nil || found.Text != p.Text {
				t.Fatalf("%q: %q is found as %q, %v", text, p.Key, found.Text, err)
			}
		}
	})
}
