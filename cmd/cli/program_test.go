package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// run runs a whole command line against a terminal server that is not there.
func run(t *testing.T, env map[string]string, line string) (status int, stdout, stderr string) {
	t.Helper()
	all := map[string]string{"CUPOLA_ENGINE_SOCKET": filepath.Join(t.TempDir(), "s")}
	for name, value := range env {
		all[name] = value
	}
	p := testProgram(t, all, split(line)...)
	status = p.main(t.Context())
	return status, written(t, p.Stdout), written(t, p.Stderr)
}

func TestAnswersForProgramsAreOneDocument(t *testing.T) {
	for _, test := range []struct {
		line    string
		env     map[string]string
		status  int
		command string
		code    core.Code
	}{
		{"", nil, 0, "status", ""},
		{"status", nil, 0, "status", ""},
		{"--robot-status", nil, 0, "status", ""},
		{"--robot --version", nil, 0, "version", ""},
		{"--robot --help", nil, 0, "docs", ""},
		{"tail --robot --help", nil, 0, "help", ""},
		{"--robot-tail=api --help", nil, 0, "help", ""},
		{"capabilities --verbose", nil, 0, "capabilities", ""},
		{"schema all", nil, 0, "schema", ""},
		{"tail", nil, 1, "tail", core.MissingRequired},
		{"statsu", nil, 1, "", core.UnknownCommand},
		{"--robot-statsu", nil, 1, "", core.UnknownFlag},
		{"status --human --robot", nil, 1, "status", core.InvalidFlag},
		{"status", map[string]string{"CUPOLA_ENGINE_TRANSPORT": "pigeon"}, 0, "status", ""},
		{"status", map[string]string{"CUPOLA_ENVELOPE": "brown"}, 1, "status", core.InvalidInput},
		{"tail", map[string]string{"CUPOLA_EXIT_CODES": "detailed"}, 2, "tail", core.MissingRequired},
	} {
		status, stdout, stderr := run(t, test.env, test.line)
		var doc struct {
			Success bool      `json:"success"`
			Code    core.Code `json:"error_code"`
			Meta    struct {
				Command string `json:"command"`
			} `json:"_meta"`
		}
		if err := json.Unmarshal([]byte(stdout), &doc); err != nil || strings.Count(stdout, "\n") != 1 {
			t.Errorf("%q: %v in %.200q", test.line, err, stdout)
		}
		if status != test.status || doc.Meta.Command != test.command || doc.Code != test.code ||
			doc.Success != (test.code == "") {
			t.Errorf("%q: exit %d, %+v", test.line, status, doc)
		}
		if stderr != "" {
			t.Errorf("%q: standard error got %q", test.line, stderr)
		}
	}
}

func TestAnswersForPeopleAreText(t *testing.T) {
	for _, test := range []struct {
		line   string
		status int
		stdout string
		stderr string
	}{
		{"--version", 0, "cupola 1.2.3\n", ""},
		{"--human version", 0, "cupola 1.2.3\n", ""},
		{"--human status", 0, "No agents yet.\n", ""},
		{
			"--human statsu", 1, "",
			"cupola: unknown command \"statsu\"\n  Did you mean status? 'cupola docs' lists what there is.\n" +
				"    cupola --human status\n",
		},
		{"--human markdown --md-compact", 0, "## Fleet", "cupola: --md-compact is deprecated; use --compact\n"},
		{"tail --help", 0, "Show the last lines of an agent's pane", ""},
		{"help tail", 0, "Show the last lines of an agent's pane", ""},
		{"--human help nothing", 1, "", "cupola: no help about \"nothing\"\n"},
		{"--help", 0, "Run several coding agents at once", ""},
		{"help all", 0, "Run several coding agents at once", ""},
		{"completion bash", 0, "# bash completion", ""},
		{"__complete tail ~", 0, ":4\n", "Completion ended"},
	} {
		status, stdout, stderr := run(t, nil, test.line)
		if status != test.status || !strings.HasPrefix(stdout, test.stdout) ||
			!strings.HasPrefix(stderr, test.stderr) || test.stderr == "" && stderr != "" {
			t.Errorf("%q: exit %d, %.200q, %.200q", test.line, status, stdout, stderr)
		}
	}
}

type shoutOut struct{}

func (shoutOut) Report() *report.Report { panic("lost my voice") }

func TestAPanicOutsideAVerbIsStillAnAnswer(t *testing.T) {
	verb := registry.Define(registry.Spec[*verb.Env, struct{}, shoutOut]{
		Name: "shout", Examples: []string{""},
		Run: func(context.Context, *verb.Env, struct{}) (shoutOut, error) { return shoutOut{}, nil },
	})
	p := testProgram(t, nil, "--human", "shout")
	p = newProgram(p.Options, nil, &registry.Catalog{Verbs: []*registry.Verb{verb}})
	status := p.main(t.Context())
	if got := written(t, p.Stderr); status != 1 || !strings.HasPrefix(got, "cupola: internal error: lost my voice\n") {
		t.Errorf("exit %d, %q", status, got)
	}
}

func TestStandardInputIsBounded(t *testing.T) {
	p := testProgram(t, nil)
	if _, err := p.Stdin.WriteString("a prompt"); err != nil {
		t.Fatal(err)
	}
	rewind := func() {
		if _, err := p.Stdin.Seek(0, 0); err != nil {
			t.Fatal(err)
		}
	}
	rewind()
	if text, err := readStdin(p.Stdin, nil); text != "a prompt" || err != nil {
		t.Errorf("got %q, %v", text, err)
	}
	if err := p.Stdin.Truncate(maxStdin + 1); err != nil {
		t.Fatal(err)
	}
	rewind()
	if _, err := readStdin(p.Stdin, nil); !core.AsError(err).HasCode(core.IOError) {
		t.Errorf("of more than the most: %v", err)
	}
}

func TestSignalEndsReadOfStandardInput(t *testing.T) {
	p := testProgram(t, nil, "send", "api", "-")
	stdin, typing, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	defer typing.Close()
	p.Stdin = stdin
	ctx, leave := context.WithCancel(t.Context())
	ended := make(chan int)
	go func() { ended <- p.main(ctx) }()
	leave()
	select {
	case status := <-ended:
		if said := written(t, p.Stdout); status != 130 || !strings.Contains(said, `"error_code":"CANCELLED"`) {
			t.Errorf("status %d, %s", status, said)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it waits on")
	}
}

func TestShortHelpListsWhatIsUsedEveryDay(t *testing.T) {
	_, short, _ := run(t, nil, "--help")
	_, all, _ := run(t, nil, "help all")
	for _, word := range []string{"\n  send ", "\n  story-run ", "help all lists all", "help robot"} {
		if !strings.Contains(short, word) {
			t.Errorf("the short help lacks %q", word)
		}
	}
	if strings.Contains(short, "kind-check") || !strings.Contains(all, "kind-check") ||
		strings.Contains(all, "help all lists") {
		t.Error("only 'help all' lists every command")
	}
	for _, name := range []string{"is-working", "robot-docs"} {
		if strings.Contains(all, "\n  "+name+" ") {
			t.Errorf("help lists %s, which is an alias", name)
		}
	}
}
