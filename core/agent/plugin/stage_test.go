package plugin

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core/agent"
	"cupola/core/system/textfile"
)

// desk is a home of its own with a plugin in it.
type desk struct {
	*Plugin
	home string
}

func deskOf(t testing.TB, id, self string) *desk {
	t.Helper()
	return deskAt(t, id, self, filepath.Join(t.TempDir(), "home"))
}

func deskAt(t testing.TB, id, self, home string) *desk {
	t.Helper()
	kinds, err := agent.Load()
	if err != nil {
		t.Fatal(err)
	}
	kind, _ := kinds.Find(id)
	p, ok := Of(kind, self, words, func(name string) string { return map[string]string{"HOME": home}[name] })
	if !ok {
		t.Fatalf("%s has no plugin", id)
	}
	if err := os.MkdirAll(home, 0o700); err != nil {
		t.Fatal(err)
	}
	return &desk{p, home}
}

// have writes the settings.
func (d *desk) have(t testing.TB, text string) *desk {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(d.File), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(d.File, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *desk) act(t testing.TB, plan func() (*textfile.Change, error)) {
	t.Helper()
	change, err := plan()
	if err == nil {
		err = change.Apply()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (d *desk) is(t testing.TB, want State) Status {
	t.Helper()
	status, err := d.Status()
	if err != nil || status.State != want {
		text, _ := os.ReadFile(d.File)
		t.Fatalf("the status is %+v (%v), not %s, of\n%s", status, err, want, text)
	}
	return status
}

func (d *desk) text(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile(d.File)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// tree lists everything below the home with the texts of files.
func (d *desk) tree(t testing.TB) string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(d.home, func(path string, entry fs.DirEntry, err error) error {
		info, infoErr := entry.Info()
		text := []byte{}
		if err = errors.Join(err, infoErr); err == nil && entry.Type().IsRegular() {
			text, err = os.ReadFile(path)
		}
		all = append(all, strings.TrimPrefix(path, d.home)+" "+info.Mode().String()+" "+string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, "\n")
}

const self = "/usr/local/bin/cupola"

// words are the texts of a version.
var words = &Texts{
	Name: "tool", Description: "All \"of\" it: here", Version: "1.2.3",
	Skills: []Text{
		{Name: "tool-ask", Description: "How to ask: \"twice\" # or more", Body: "# Ask\n\nAsk <it> & wait.\n"},
		{Name: "tool-see", Description: "How to see", Body: "See.\n"},
	},
	Commands: []Text{{Name: "ask", Description: "Ask it", Takes: "[PROMPT]", Body: "Ask: {arguments}\n"}},
}

// settings are files as people and agents leave them.
var settings = map[string]string{
	"empty":              "{}",
	"empty, line":        "{}\n",
	"empty, two lines":   "{\n}\n",
	"plain":              "{\n  \"model\": \"opus\"\n}\n",
	"no line end":        "{\n  \"model\": \"opus\"\n}",
	"tabs":               "{\n\t\"model\": \"opus\",\n\t\"env\": {\n\t\t\"A\": \"b\"\n\t}\n}\n",
	"four blanks":        "{\n    \"model\": \"opus\"\n}\n",
	"windows":            "{\r\n  \"model\": \"opus\"\r\n}\r\n",
	"mark":               "\ufeff{\"a\": 1}",
	"one line":           `{"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done"}]}]}}`,
	"one line, empties":  `{"model":"opus","hooks":{}}`,
	"empty hooks":        "{\n  \"hooks\": {}\n}\n",
	"empty hooks, lines": "{\n  \"hooks\": {\n  },\n  \"model\": \"opus\"\n}\n",
	"empty list":         "{\n  \"hooks\": {\n    \"Stop\": [],\n    \"BeforeAgent\": [ ]\n  }\n}\n",
	"other hooks": "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          {\n            " +
		"\"type\": \"command\",\n" +
		"            \"command\": \"say <done> & \\u00e9\"\n          }\n        ]\n      }\n    ],\n    \"Other\": " +
		"5\n  },\n  \"model\": \"opus\"\n}\n",
	"comments": "// mine\n{\n  // the model\n  \"model\": \"opus\", /* best */\n  \"hooks\": {\n    // none yet\n  " +
		"} // end\n}\n// bye\n",
	"bare comment": "{\n  \"a\": 1\n} // bye",
	"trailing commas": "{\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"Stop\": [\n      " +
		"{\"hooks\": []}, // mine\n    ],\n  },\n}\n",
	"mixed": "{ \"a\": [1, 2 ,3],\n\n\n  \"b\" : {\"hooks\": 1},\n\"z\":1e5}   \n\n",
}
