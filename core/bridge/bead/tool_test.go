package bead_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/bridge/bead"
	"cupola/core/bridge/bead/beadtest"
	"cupola/core/system/shell/shelltest"
)

// fixture is a project with the fake of its tool.
func fixture(t *testing.T) (*bead.Tool, bead.Project) {
	t.Helper()
	root := t.TempDir()
	beadtest.Project(t, root)
	at, err := bead.Locate(root)
	if err != nil {
		t.Fatal(err)
	}
	return &bead.Tool{Name: "bd", Path: beadtest.Install(t, t.TempDir()), Environ: os.Environ()}, at
}

// scripted is a tool that runs a shell script.
func scripted(t *testing.T, script string) *bead.Tool {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bd")
	if err := shelltest.WriteProgram(path, []byte("#!/bin/sh\n"+script+"\n")); err != nil {
		t.Fatal(err)
	}
	return &bead.Tool{Name: "bd", Path: path, Environ: os.Environ()}
}

func code(err error) core.Code {
	if err == nil {
		return ""
	}
	return core.AsError(err).Code
}

func TestTheFirstToolThatIsThereIsUsed(t *testing.T) {
	only := func(names ...string) func(string) (string, error) {
		return func(name string) (string, error) {
			for _, n := range names {
				if n == name {
					return "/opt/" + n, nil
				}
			}
			return "", exec.ErrNotFound
		}
	}
	for _, test := range []struct {
		there []string
		want  string
	}{{[]string{"br", "bd"}, "bd"}, {[]string{"br"}, "br"}} {
		if tool, err := bead.FindTool(only(test.there...), nil); err != nil || tool.Name != test.want ||
			tool.Path != "/opt/"+test.want {
			t.Errorf("%q: got %+v, %v", test.there, tool, err)
		}
	}
	_, err := bead.FindTool(only(), nil)
	e := core.AsError(err)
	if e == nil || e.Code != core.ToolNotFound || !strings.Contains(e.Hint, "go install") {
		t.Fatalf("got %v", err)
	}
	if details, ok := e.Details.(map[string]any); !ok || details["reason"] != "DEPENDENCY_MISSING" {
		t.Errorf("details are %v", e.Details)
	}
}

func TestAnItemIsClaimedByOneOnly(t *testing.T) {
	tool, at := fixture(t)
	item, err := tool.Claim(t.Context(), at, "bd-1", "api.1")
	if err != nil || item.Status != bead.InProgress || item.Assignee != "api.1" {
		t.Fatalf("got %+v, %v", item, err)
	}
	if again, err := tool.Claim(t.Context(), at, "bd-1", "api.1"); err != nil || again.Assignee != "api.1" {
		t.Errorf("the assignee claims it again: %+v, %v", again, err)
	}
	_, err = tool.Claim(t.Context(), at, "bd-1", "api.2")
	if code(err) != core.Conflict || !strings.Contains(err.Error(), "already claimed by api.1") {
		t.Errorf("got %v", err)
	}
	if _, err := tool.Claim(t.Context(), at, "bd-99", "api.1"); code(err) != core.NotFound {
		t.Errorf("got %v", err)
	}
	if err := tool.Release(t.Context(), at, "bd-1"); err != nil {
		t.Fatal(err)
	}
	set, err := bead.Read(at)
	if err != nil {
		t.Fatal(err)
	}
	if item, err := set.Find("bd-1"); err != nil || item.Status != bead.Open || item.Assignee != "" {
		t.Errorf("got %+v, %v", item, err)
	}
}

func TestAToolWithoutClaimIsAskedOtherwise(t *testing.T) {
	const script = `case "$*" in
	*--claim*) echo "%s" >&2; exit 1;;
	"update --status=in_progress --json --assignee=api.1 -- bd-1") echo '{"id":"bd-1","status":"in_progress","assignee":"api.1"}';;
	*) echo "Error: what? $*" >&2; exit 1;;
	esac`
	for _, complaint := range []string{"Error: unknown flag: --claim", "error: unexpected argument '--claim' found"} {
		tool := scripted(t, strings.ReplaceAll(script, "%s", complaint))
		if item, err := tool.Claim(t.Context(), project(t, nil), "bd-1", "api.1"); err != nil ||
			item.Assignee != "api.1" {
			t.Errorf("%s: got %+v, %v", complaint, item, err)
		}
	}
}

func TestAClaimCountsOnlyIfTheAnswerShowsIt(t *testing.T) {
	for _, answer := range []string{
		`{"id":"bd-1","status":"in_progress","assignee":"api.2"}`, `{"id":"bd-1","status":"open","assignee":"api.1"}`,
	} {
		if item, err := scripted(t, "echo '"+answer+"'").Claim(t.Context(), project(t, nil), "bd-1",
			"api.1"); code(err) != core.Conflict {
			t.Errorf("%s: got %+v, %v", answer, item, err)
		}
	}
}

func TestItemsAreMadeAndClosed(t *testing.T) {
	tool, at := fixture(t)
	made, err := tool.Create(t.Context(), at, &bead.Draft{
		Title: "-x $(touch pwned); 'q'", Description: "--flag", Type: "bug", Priority: "1", Assignee: "me",
		Labels: []string{"a", "b"}, DependsOn: []string{"bd-1"}, Parent: "bd-5",
	})
	if err != nil || made.Title != "-x $(touch pwned); 'q'" {
		t.Fatalf("got %+v, %v", made, err)
	}
	log, err := os.ReadFile(filepath.Join(at.Beads, "bd.log"))
	want := `create --title=-x $(touch pwned); 'q' --description=--flag --type=bug --priority=1 --assignee=me --parent=bd-5 --labels=a,b --deps=bd-1 --json` + "\n"
	if err != nil || string(log) != want {
		t.Errorf("it was asked for\n%s, want\n%s", log, want)
	}
	if _, err := os.Stat(filepath.Join(at.Root, "pwned")); err == nil {
		t.Error("a title was run as a command")
	}
	if made, err = tool.Create(t.Context(), at, &bead.Draft{Title: "Plain"}); err != nil || made.ID != "bd-new" ||
		made.Title != "Plain" {
		t.Errorf("got %+v, %v", made, err)
	}
	if closed, err := tool.Close(t.Context(), at, "bd-1", "done"); err != nil || closed.Status != bead.Closed {
		t.Errorf("got %+v, %v", closed, err)
	}
	if _, err := tool.Close(t.Context(), at, "bd-99", ""); code(err) != core.NotFound {
		t.Errorf("got %v", err)
	}
}

func TestAToolsAnswerIsForeign(t *testing.T) {
	for _, test := range []struct {
		why, script string
		want        core.Code
		says        string
	}{
		{"nothing", "exit 0", core.BackendFailed, "did not answer with the item"},
		{"no JSON", "echo hello", core.BackendFailed, "did not answer"},
		{"another item", `echo '[{"id":"bd-2","status":"closed"}]'`, core.BackendFailed, "did not answer"},
		{"it is still open", `echo '{"id":"bd-1","status":"open"}'`, core.BackendFailed, "did not answer"},
		{"in a frame", `echo '{"schema_version":1,"data":[{"id":"bd-1","status":"closed"}]}'`, "", ""},
		{
			"an error on stderr", `echo "⚠ a warning" >&2; echo "Error: invalid reason" >&2; exit 1`, core.InvalidInput,
			"invalid reason",
		},
		{
			"an error as JSON", `echo '{"error":"database is locked"}' >&2; exit 1`, core.BackendFailed,
			"database is locked",
		},
		{"no word", "exit 3", core.BackendFailed, "exit status 3"},
	} {
		_, err := scripted(t, test.script).Close(t.Context(), project(t, nil), "bd-1", "")
		if code(err) != test.want || err != nil && !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: got %v (%s)", test.why, err, code(err))
		}
	}
}

func TestAToolThatHangsIsEnded(t *testing.T) {
	tool := scripted(t, "exec sleep 60")
	tool.Within = 50 * time.Millisecond
	if _, err := tool.Close(t.Context(), project(t, nil), "bd-1", ""); code(err) != core.Timeout {
		t.Errorf("got %v", err)
	}
	tool.Within = 0
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tool.Close(ctx, project(t, nil), "bd-1", ""); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestToolRunsInItsProjectWithoutInput(t *testing.T) {
	tool := scripted(t, `[ "$(pwd -P)/.beads" = "$BEADS_DIR" ] && [ "$BEADS_NO_DAEMON" = 1 ] && ! read -r x && echo '{"id":"bd-1","status":"closed"}'`)
	tool.Environ = append(tool.Environ, "BEADS_DIR=/elsewhere")
	at := project(t, nil)
	root, err := filepath.EvalSymlinks(at.Root)
	if err != nil {
		t.Fatal(err)
	}
	at = bead.Project{Root: root, Beads: filepath.Join(root, ".beads")}
	if _, err := tool.Close(t.Context(), at, "bd-1", ""); err != nil {
		t.Error(err)
	}
}

func TestADatabaseIsAskedRatherThanItsCopy(t *testing.T) {
	stale := map[string]string{
		"issues.jsonl":  `{"id":"bd-old"}`,
		"metadata.json": `{"database":"dolt","backend":"dolt"}`,
	}
	fresh := scripted(t, `[ "$1" = export ] && echo '{"_type":"issue","id":"bd-new"}'`)
	for _, test := range []struct {
		why   string
		files map[string]string
		tool  *bead.Tool
		want  string
		warns bool
	}{
		{"a database", stale, fresh, "bd-new", false},
		{"a database and no tool", stale, nil, "bd-old", true},
		{"a database whose tool fails", stale, scripted(t, "echo no >&2; exit 1"), "bd-old", true},
		{
			"files",
			map[string]string{"issues.jsonl": `{"id":"bd-old"}`, "metadata.json": `{"database":"beads.db"}`},
			fresh, "bd-old", false,
		},
	} {
		set, warning, err := bead.Load(t.Context(), project(t, test.files), test.tool)
		if err != nil || ids(set) != test.want || (warning != "") != test.warns ||
			(set.Tool == "bd") != (test.want == "bd-new") {
			t.Errorf("%s: got %+v, %q, %v", test.why, set, warning, err)
		}
	}
}
