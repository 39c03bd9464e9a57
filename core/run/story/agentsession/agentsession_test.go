package agentsession_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/run/story"
	"cupola/core/run/story/agentsession"
)

// tasks has ids, some of them the start of others.
const tasks = `## 1. One
- [ ] 1.1 a
- [ ] 1.10 b

## 2. Two
- [ ] 2.1 c
`

// place is a project with a change, and a directory.
type place struct {
	*agentsession.Directory
	t    *testing.T
	root string
}

func newPlace(t *testing.T) place {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := place{&agentsession.Directory{
		Dir: filepath.Join(t.TempDir(), "sessions"), Files: story.Files{Locks: filepath.Join(t.TempDir(), "locks")},
	}, t, root}
	p.write("openspec/changes/add/tasks.md", tasks)
	p.write("openspec/changes/add/design.md", "# Design\n")
	p.write("sub/deep/x", "")
	return p
}

func (p place) write(name, text string) string {
	p.t.Helper()
	path := filepath.Join(p.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return path
}

func (p place) change() *story.Change {
	p.t.Helper()
	c, err := story.Read(p.root, "add")
	if err != nil {
		p.t.Fatal(err)
	}
	return c
}

// create begins a session of a file of tasks in a folder.
func (p place) create(dir string, owner agentsession.Owner) *agentsession.Session {
	p.t.Helper()
	path := p.write(filepath.Join(dir, "tasks.md"), tasks)
	c, err := story.ReadTasks(path)
	if err != nil {
		p.t.Fatal(err)
	}
	s, _, err := p.Create(p.t.Context(), agentsession.Request{Change: c, Dir: filepath.Dir(path), Owner: owner})
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

// process starts one that owns a session, and returns it and what kills it.
func process(t *testing.T) (owner agentsession.Owner, kill func()) {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	t.Cleanup(kill)
	owner, err := agentsession.OwnerOf(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	return owner, kill
}

func code(err error) core.Code {
	if err == nil {
		return ""
	}
	return core.AsError(err).Code
}

func TestAChangeHasOneLivingOwner(t *testing.T) {
	p, ctx := newPlace(t), t.Context()
	owner, kill := process(t)
	first, _, err := p.Create(ctx, agentsession.Request{Change: p.change(), Dir: p.root, Owner: owner})
	if err != nil {
		t.Fatal(err)
	}
	for name, begin := range map[string]func() error{
		"another session": func() error {
			_, _, err := p.Create(ctx, agentsession.Request{Change: p.change(), Dir: p.root})
			return err
		},
		"the same, resumed": func() error {
			_, err := p.Resume(ctx, first.ID, agentsession.Owner{}, agentsession.Pane{})
			return err
		},
		"its newest, resumed": func() error {
			_, err := p.Ended(agentsession.Subject{Dir: p.root}, "add")
			return err
		},
	} {
		err := begin()
		if code(err) != core.ChangeLocked || !strings.Contains(err.Error(), first.ID) ||
			!strings.Contains(err.Error(), fmt.Sprint(owner.PID)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := p.Learn(ctx, first.ID, story.Learning{Text: "x"}); err != nil {
		t.Fatal(err)
	}
	kill()
	if _, err := p.Find(agentsession.Subject{Dir: p.root}); code(err) != core.SessionRequired ||
		!slices.Contains(core.AsError(err).Remedies, core.RemedyResumeAgentSession) {
		t.Errorf("a session whose owner ended is found: %v", err)
	}
	ended, err := p.Ended(agentsession.Subject{Dir: p.root}, "add")
	if err != nil || ended.ID != first.ID {
		t.Fatalf("%v, %v", ended, err)
	}
	second, over, err := p.Create(ctx, agentsession.Request{Change: p.change(), Dir: p.root})
	if err != nil || len(over) != 1 || over[0].ID != first.ID || len(second.Learnings) != 1 {
		t.Fatalf("%+v, %+v, %v", second, over, err)
	}
	if _, err := p.Load(first.ID); code(err) != core.NotFound {
		t.Errorf("the session that was taken over is still there: %v", err)
	}
}

func TestAReusedPidIsAnotherOwner(t *testing.T) {
	owner, kill := process(t)
	if !owner.Alive() {
		t.Fatal("a process that runs is none")
	}
	other := owner
	other.Start++
	if other.Alive() {
		t.Error("another process is taken for the owner")
	}
	kill()
	if owner.Alive() {
		t.Error("a process that ended runs")
	}
	if _, err := agentsession.OwnerOf(owner.PID); err == nil {
		t.Error("a process that ended is an owner")
	}
}

func TestASessionIsFoundByPlace(t *testing.T) {
	p := newPlace(t)
	dead, kill := process(t)
	own, err := agentsession.Self()
	if err != nil {
		t.Fatal(err)
	}
	outer := p.create("", own)
	inner := p.create("sub", own)
	left := p.create("left", dead)
	kill()
	one, two := p.create("both/one", own), p.create("both/two", own)
	for _, test := range []struct {
		name                  string
		dir, named, inherited string
		want                  string
		code                  core.Code
	}{
		{"the folder", "", "", "", outer.ID, ""},
		{"the deepest folder", "sub/deep", "", "", inner.ID, ""},
		{"the folder before the environment", "sub", "", outer.ID, inner.ID, ""},
		{"a name before the folder", "sub", outer.ID, "", outer.ID, ""},
		{"a name with blanks", "sub", " " + outer.ID + "\n", "", outer.ID, ""},
		{"no name", "sub", "null", "undefined", inner.ID, ""},
		{"none, in other letters", "sub", " Undefined ", "NULL", inner.ID, ""},
		{"nobody lives there", "left", "", "", "", core.SessionRequired},
		{"an environment of this folder", "left", "", left.ID, left.ID, ""},
		{"an environment of another folder", "left", "", inner.ID, "", core.SessionRequired},
		{"a name from elsewhere", "left", two.ID, "", two.ID, ""},
		{"an unknown name", "sub", inner.ID[:35] + "x", "", "", core.NotFound},
		{"an unknown environment", "left", "", "8d9c6f0e-0000-4000-8000-000000000000", "", core.NotFound},
		{"a value with a line end in it", "left", "", inner.ID + "\nrm -rf x", "", core.NotFound},
		{"a path", "sub", "../" + inner.ID, "", "", core.NotFound},
		{"beside", "both/one", "", "", one.ID, ""},
	} {
		s, err := p.Find(agentsession.Subject{
			Named: test.named, Inherited: test.inherited, Dir: filepath.Join(p.root, test.dir),
		})
		if code(err) != test.code || err == nil && s.ID != test.want {
			t.Errorf("%s: got %+v, %v", test.name, s, err)
		}
	}
	_, err = p.Find(agentsession.Subject{Named: inner.ID[:35] + "x"})
	if e := core.AsError(err); !slices.Contains(e.Suggestions, inner.ID) {
		t.Errorf("the near one is not suggested: %+v", e)
	}
	if _, err := p.Find(agentsession.Subject{Dir: t.TempDir()}); code(err) != core.SessionRequired {
		t.Errorf("outside: %v", err)
	}
}

func TestSeveralThatFitAreAmbiguousUnlessOneIsOfThePane(t *testing.T) {
	p, ctx := newPlace(t), t.Context()
	var ids []string
	for i, name := range []string{"a.md", "b.md"} {
		c, err := story.ReadTasks(p.write(name, tasks))
		if err != nil {
			t.Fatal(err)
		}
		s, _, err := p.Create(ctx, agentsession.Request{
			Change: c, Pane: agentsession.Pane{ID: fmt.Sprintf("%%%d", i), Server: "/s"},
		})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, s.ID)
	}
	for pane, want := range map[agentsession.Pane]string{
		{}:                           "",
		{ID: "%7", Server: "/s"}:     "",
		{ID: "%1", Server: "/other"}: "",
		{ID: "%1", Server: "/s"}:     ids[1],
		{ID: "%0", Server: "/s"}:     ids[0],
	} {
		s, err := p.Find(agentsession.Subject{Dir: p.root, Pane: pane})
		switch {
		case want != "" && (err != nil || s.ID != want):
			t.Errorf("%v: %v, %v", pane, s, err)
		case want == "" && (code(err) != core.Ambiguous || !strings.Contains(err.Error(), ids[0])):
			t.Errorf("%v: %v", pane, err)
		}
	}
}

func TestAResumedSessionKeepsWhatWasLearned(t *testing.T) {
	p, ctx := newPlace(t), t.Context()
	owner, kill := process(t)
	s := p.create("w", owner)
	if err := p.SetStory(ctx, s.ID, "2"); err != nil {
		t.Fatal(err)
	}
	if n, err := p.Learn(ctx, s.ID, story.Learning{Text: "x", Task: "2.1"}); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	kill()
	resumed, err := p.Resume(ctx, s.ID, agentsession.Owner{}, agentsession.Pane{})
	if err != nil || resumed.Owner.PID != os.Getpid() || resumed.Story != "2" || len(resumed.Learnings) != 1 ||
		resumed.Learnings[0].Story != "2" || resumed.Resumed.IsZero() {
		t.Fatalf("%+v, %v", resumed, err)
	}
	if found, err := p.Find(agentsession.Subject{Dir: filepath.Join(p.root, "w")}); err != nil || found.ID != s.ID {
		t.Errorf("%v, %v", found, err)
	}
}

func TestTheNewestSessionThatWasLeftIsResumed(t *testing.T) {
	p := newPlace(t)
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	p.Now = func() time.Time { now = now.Add(time.Minute); return now }
	owner, kill := process(t)
	outer, inner := p.create("a", owner), p.create("a/b", owner)
	kill()
	in := agentsession.Subject{Dir: filepath.Join(p.root, "a", "b")}
	if s, err := p.Ended(in, "tasks"); err != nil || s.ID != inner.ID {
		t.Errorf("%v, %v", s, err)
	}
	if _, err := p.Ended(in, ""); code(err) != core.Ambiguous || !strings.Contains(err.Error(), outer.ID) {
		t.Error(err)
	}
	if _, err := p.Ended(in, "other"); code(err) != core.SessionRequired {
		t.Error(err)
	}
	if _, err := p.Ended(agentsession.Subject{Dir: p.root}, ""); code(err) != core.SessionRequired {
		t.Error(err)
	}
}

func TestWhatIsLearnedStaysUntilItIsWritten(t *testing.T) {
	p, ctx := newPlace(t), t.Context()
	s, _, err := p.Create(ctx, agentsession.Request{Change: p.change(), Dir: p.root, Story: "1"})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"a", "b"} {
		if _, err := p.Learn(ctx, s.ID, story.Learning{Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	no := errors.New("no")
	refuse := func([]story.Learning) error { return no }
	if _, err := p.Drain(ctx, s.ID, refuse); !errors.Is(err, no) {
		t.Fatal(err)
	}
	if _, err := p.Close(ctx, s.ID, refuse); !errors.Is(err, no) {
		t.Fatal(err)
	}
	if now, err := p.Load(s.ID); err != nil || len(now.Learnings) != 2 {
		t.Fatalf("%+v, %v", now, err)
	}
	if n, err := p.Flush(ctx, s.ID); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	if c := p.change(); !strings.Contains(c.Design, "- a") || !strings.Contains(c.Design, "Story 1") {
		t.Errorf("the design is %q", c.Design)
	}
	if _, err := p.Flush(ctx, s.ID); code(err) != core.NotFound {
		t.Error(err)
	}
	if _, _, err := p.Create(ctx, agentsession.Request{Change: p.change(), Dir: p.root}); err != nil {
		t.Errorf("the change is not released: %v", err)
	}
}

func TestManyReportAtOnce(t *testing.T) {
	p, ctx := newPlace(t), t.Context()
	var lines strings.Builder
	lines.WriteString("## 1. Many\n")
	const many = 40
	for i := range many {
		fmt.Fprintf(&lines, "- [ ] 1.%d t\n", i+1)
	}
	p.write("openspec/changes/add/tasks.md", lines.String())
	s, _, err := p.Create(ctx, agentsession.Request{Change: p.change(), Dir: p.root})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() {
			if _, err := p.Learn(ctx, s.ID, story.Learning{Text: fmt.Sprint(i)}); err != nil {
				t.Error(err)
			}
			if _, err := p.Tick(ctx, s.ID, fmt.Sprintf("1.%d", i+1)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	now, err := p.Load(s.ID)
	if err != nil || len(now.Learnings) != many || len(now.Ticked) != many {
		t.Errorf("%d learnings, %d ticks, %v", len(now.Learnings), len(now.Ticked), err)
	}
	if done, total := p.change().Counts(); done != many || total != many {
		t.Errorf("%d of %d tasks are done", done, total)
	}
}

func TestOneOfManyTakesAChange(t *testing.T) {
	p, ctx := newPlace(t), t.Context()
	won := make(chan string, 20)
	var all sync.WaitGroup
	for range cap(won) {
		all.Go(func() {
			s, _, err := p.Create(ctx, agentsession.Request{Change: p.change(), Dir: p.root})
			switch {
			case err == nil:
				won <- s.ID
			case code(err) != core.ChangeLocked:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if len(won) != 1 {
		t.Errorf("%d took it", len(won))
	}
}

func TestTheStoryIsThatWhichIsNamedOrBegunOrInherited(t *testing.T) {
	p := newPlace(t)
	c := p.change()
	for _, test := range []struct {
		named, started, inherited, want string
		code                            core.Code
	}{
		{"2", "1", "1", "2", ""},
		{"", "2", "1", "2", ""},
		{"null", "", "2", "2", ""},
		{"undefined", "", " 2\n", "2", ""},
		{"", "", "NULL", "", core.StoryRequired},
		{"", "", "", "", core.StoryRequired},
		{"9", "1", "", "", core.StoryNotFound},
		{"1.", "1", "", "", core.StoryNotFound},
	} {
		s := agentsession.Session{ID: "x", Story: test.started}
		found, err := s.StoryOf(c, test.named, test.inherited)
		if code(err) != test.code || err == nil && found.ID != test.want {
			t.Errorf("%+v: %v, %v", test, found, err)
		}
	}
}

func TestRecordsAreTheUsersAlone(t *testing.T) {
	p := newPlace(t)
	s := p.create("w", agentsession.Owner{})
	info, err := os.Stat(filepath.Join(p.Dir, s.ID+".json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	if err := os.WriteFile(filepath.Join(p.Dir, s.ID+".json"), []byte(`{"session_version":9}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Load(s.ID); err == nil {
		t.Error("a record of another version is read")
	}
	if all, err := p.All(); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
}

func TestThePaneIsThatOfItsServer(t *testing.T) {
	for _, test := range []struct {
		environ map[string]string
		want    agentsession.Pane
	}{
		{map[string]string{"TMUX_PANE": "%3", "TMUX": "/tmp/s,7,0"}, agentsession.Pane{ID: "%3", Server: "/tmp/s"}},
		{map[string]string{"TMUX_PANE": "%3"}, agentsession.Pane{}},
		{map[string]string{"TMUX": "/tmp/s,7,0"}, agentsession.Pane{}},
		{nil, agentsession.Pane{}},
	} {
		if got := agentsession.PaneOf(func(name string) string { return test.environ[name] }); got != test.want {
			t.Errorf("%v: %v", test.environ, got)
		}
	}
}

func TestTheCallerIsAProcessThatRuns(t *testing.T) {
	owner, err := agentsession.Caller()
	if err != nil || !owner.Alive() || owner.PID == os.Getpid() {
		t.Errorf("%+v, %v", owner, err)
	}
}
