package bridge

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"cupola/core"
)

// contextWithin ends soon.
func contextWithin(t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithTimeout(t.Context(), 100*time.Millisecond)
}

func nowhere(string) (string, error) { return "", exec.ErrNotFound }

// files are the user's own.
func files(texts map[string]string) fstest.MapFS {
	dir := fstest.MapFS{}
	for name, text := range texts {
		dir[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return dir
}

const own = "tool = \"own\"\n[action.say]\nshort = \"Say\"\nargv = [[\"x\"]]\n"

func TestUserFilesChangeAndAddTools(t *testing.T) {
	b := Open(files(map[string]string{
		"own.toml": own, "cass.toml": "tool = \"cass\"\ninstall = \"by hand\"\n[action.search]\ntimeout = " +
			"\"1s\"\n[action.more]\nshort = \"More\"\nargv = [[\"more\"]]\n",
		"notes.txt": "not a tool",
	}), nowhere)
	cass, err := b.Tool("cass")
	if err != nil {
		t.Fatal(err)
	}
	search := cass.Actions["search"]
	if cass.Install != "by hand" || search.Timeout != time.Second || len(search.Argv) < 3 || search.List == nil ||
		cass.Gives == "" {
		t.Errorf("got %+v, %+v", cass, search)
	}
	added, problems := b.Added(), b.Problems()
	if len(problems) > 0 || len(added) != 2 || added[0].Tool+"-"+added[0].Action != "cass-more" ||
		added[1].Tool != "own" || added[1].Effect != "reads" {
		t.Errorf("added %+v, %v", added, problems)
	}
	if ids := b.IDs(); ids[len(ids)-1] != "own" || len(ids) != len(shipped)+1 {
		t.Errorf("ids are %q", ids)
	}
	if path, ok := b.Installed("own"); ok {
		t.Errorf("own is at %q", path)
	}
	again, err := Open(nil, nowhere).Tool("cass")
	if err != nil || again.Install == "by hand" {
		t.Errorf("a file changed the tool for others: %+v, %v", again, err)
	}
}

func TestFilesThatMakeNoSenseSayWhere(t *testing.T) {
	for _, test := range []struct{ why, text, says string }{
		{"no TOML", "tool = \"own\"\nname = [", "own.toml:2"},
		{"another tool's", "tool = \"other\"\n", `it says that it is the tool "other"`},
		{"a list of actions", "action = [\"x\"]\n", "own.toml:1: action is a list; it must be a section"},
		{
			"a list of defaults", own + "default = [\"x\"]\n",
			"own.toml:5: action.say.default is a list; it must be a section",
		},
		{"an unknown key", own + "tiemout = \"1s\"\n", "no such key: action.say.tiemout; did you mean timeout?"},
		{
			"an unknown key of the tool", "instal = \"x\"\n" + own,
			"own.toml:1: no such key: instal; did you mean install?",
		},
		{"no description", "tool = \"own\"\n[action.say]\nargv = [[\"x\"]]\n", "action say: it has no description"},
		{"an effect that is none", own + "effect = \"eats\"\n", "its effect \"eats\" is not one of"},
		{
			"a modifier in the words that is not taken",
			"tool = \"own\"\n[action.say]\nshort = \"Say\"\nargv = [[\"{query}\"]]\n",
			"query is not among what it takes",
		},
		{"an argument that is not taken", own + "argument = \"id\"\n", "its argument id is not among"},
		{"a type that is none", own + "fields = [{ name = \"x\", type = \"colour\" }]\n", "no type is named colour"},
		{"a list without columns", own + "list = { name = \"rows\" }\n", "its list has no name or no columns"},
		{"no programs", "programs = []\n" + own, "no programs are named"},
		{"a value of another type", own + "timeout = true\n", "own.toml"},
	} {
		_, err := Open(files(map[string]string{"own.toml": test.text}), nowhere).Tool("own")
		if e := core.AsError(err); !e.HasCode(core.ConfigInvalid) || !strings.Contains(e.Message, test.says) {
			t.Errorf("%s: %v", test.why, err)
		}
	}
	_, err := Open(nil, nowhere).Tool("cas")
	if e := core.AsError(err); !e.HasCode(core.NotFound) || len(e.Suggestions) == 0 || e.Suggestions[0] != "cass" {
		t.Errorf("an unknown tool: %+v", e)
	}
	broken := searching(".[")
	if err := broken.Verify(); err == nil || !strings.Contains(err.Error(), "the map of x-search") {
		t.Errorf("a broken expression: %v", err)
	}
}

func FuzzFiles(f *testing.F) {
	f.Add(own)
	f.Add("tool = \"own\"\n[flag.x]\nenum = [\"a\"]\n")
	f.Add("[action]\nsay = 1")
	f.Fuzz(func(t *testing.T, text string) {
		b := Open(files(map[string]string{"own.toml": text}), nowhere)
		tool, err := b.Tool("own")
		if err != nil {
			if !core.AsError(err).HasCode(core.ConfigInvalid) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		for _, name := range tool.ActionNames() {
			if _, err := Fill(tool.Actions[name].Argv, nil); err != nil &&
				!core.AsError(err).HasCode(core.InvalidInput) {
				t.Errorf("%q: %v", text, err)
			}
		}
	})
}
