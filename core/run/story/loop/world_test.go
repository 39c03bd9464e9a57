package loop_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/git"
	"cupola/core/git/gittest"
	"cupola/core/git/worktree"
	"cupola/core/run/crew"
	"cupola/core/run/crew/orchestrator"
	"cupola/core/run/story"
	"cupola/core/run/story/loop"
)

// agent is the work of an agent in a folder when it is asked, and its answer.
type agent func(ctx context.Context, a *asked) (string, error)

// asked is one agent that was asked.
type asked struct {
	*testing.T
	dir, story, prompt string
	environ            []string
	// times is how often agents were asked about the story, this one included.
	times int
}

// do writes a file, and tick ticks the tasks of the agent's story.
func (a *asked) do(name, text string) {
	a.Helper()
	if err := os.WriteFile(filepath.Join(a.dir, name), []byte(text), 0o644); err != nil {
		a.Error(err)
	}
}

func (a *asked) tick() { a.tickStory(a.story) }

func (a *asked) tickStory(id string) {
	a.Helper()
	path := filepath.Join(a.dir, tasksFile)
	text, err := os.ReadFile(path)
	if err != nil {
		a.Error(err)
	}
	a.do(tasksFile, strings.ReplaceAll(string(text), "- [ ] "+id+".", "- [x] "+id+"."))
}

const tasksFile = "openspec/changes/add-login/tasks.md"

// world is a repository with a change of some stories, and a loop whose agents are functions.
type world struct {
	*testing.T
	repo   string
	loop   *loop.Loop
	agent  agent
	mu     sync.Mutex
	times  map[string]int
	events []story.Event
	cost   float64
	// heard, if not nil, gets the events as they come.
	heard func(story.Event)
	// before is the content of the user's tree.
	before string
}

func newWorld(t *testing.T, stories int, does agent) *world {
	t.Helper()
	dir := t.TempDir()
	w := &world{T: t, repo: filepath.Join(dir, "repo"), agent: does, times: map[string]int{}}
	var tasks strings.Builder
	for n := 1; n <= stories; n++ {
		fmt.Fprintf(&tasks, "## %d. Story %d\n- [ ] %d.1 write it\n  - [ ] %d.2 and more\n\n", n, n, n, n)
	}
	for name, text := range map[string]string{
		"a.txt": "one\n", ".gitignore": "*.log\n", tasksFile: "# Tasks\n\n" + tasks.String(),
		"openspec/changes/add-login/design.md": "# Design\n", "openspec/changes/add-login/proposal.md": "Sign in.\n",
	} {
		w.write(name, text)
	}
	gittest.Run(t, w.repo, nil, "init", "-q", "-b", "main")
	gittest.Run(t, w.repo, nil, "config", "user.name", "Ada")
	gittest.Run(t, w.repo, nil, "config", "user.email", "ada@example.org")
	gittest.Run(t, w.repo, nil, "add", "a.txt", ".gitignore")
	gittest.Run(t, w.repo, nil, "commit", "-q", "-m", "begin")
	w.write("a.txt", "two\n")
	w.write("new.txt", "untracked\n")
	w.write("old.log", "ignored\n")
	w.before = w.tree()
	t.Cleanup(func() {
		if after := w.tree(); after != w.before {
			t.Errorf("the user's tree was\n%s\nand is\n%s", w.before, after)
		}
	})
	w.loop = &loop.Loop{
		Directory: loop.DirectoryIn(filepath.Join(dir, "runs"), nil, 0),
		Files:     story.Files{Locks: filepath.Join(dir, "locks")},
		Open: func(_ context.Context, c *crew.Crew) (orchestrator.Stage, error) {
			return &stage{w, c}, nil
		},
		Environ: os.Environ(), Now: time.Now,
	}
	return w
}

func (w *world) write(name, text string) {
	w.Helper()
	path := filepath.Join(w.repo, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.Fatal(err)
	}
}

// tree returns the content of the user's working tree: names, modes and contents, and the output of git about it.
func (w *world) tree() string {
	w.Helper()
	var b strings.Builder
	err := filepath.WalkDir(w.repo, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && entry.Name() == ".git" {
			return cmpErr(err, fs.SkipDir)
		}
		info, err := entry.Info()
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s %s %x\n", path, info.Mode(), sha256.Sum256(text))
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	// Not in the test's context, which has ended when the tree is looked at last.
	status, err := (&git.Command{Dir: w.repo, Environ: os.Environ()}).Output(
		context.WithoutCancel(w.Context()),
		"status",
		"--porcelain",
		"--branch",
	)
	if err != nil {
		w.Fatal(err)
	}
	return b.String() + status
}

func cmpErr(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// stage asks the function of a world.
type stage struct {
	w *world
	c *crew.Crew
}

var storyLine = regexp.MustCompile(`(?m)^# Story ([^:]+):`)

// Ask answers with what the function says.
func (s *stage) Ask(ctx context.Context, _ *crew.Crew, turn orchestrator.Turn) (*orchestrator.Answer, error) {
	if err := turn.Began("relay"); err != nil {
		return nil, err
	}
	a := &asked{T: s.w.T, dir: s.c.Members[0].Dir, environ: s.c.Members[0].Env, prompt: turn.Ask.Prompt}
	a.story = storyLine.FindStringSubmatch(a.prompt)[1]
	s.w.mu.Lock()
	s.w.times[a.story]++
	a.times = s.w.times[a.story]
	s.w.mu.Unlock()
	text, err := s.w.agent(ctx, a)
	if err != nil {
		return nil, err
	}
	return &orchestrator.Answer{Text: text, CostUSD: s.w.cost, CostKnown: true}, nil
}

// Close has nothing to close.
func (*stage) Close() error { return nil }

// begin puts a run on record.
func (w *world) begin(change func(*story.Run)) *story.Run {
	w.Helper()
	r := story.NewRun(time.Now())
	r.Source, r.Name, r.Path, r.Dir = story.OpenSpec, "add-login", tasksFile, w.repo
	r.Origin = filepath.Join(w.repo, tasksFile)
	r.Backend, r.Stage, r.Limits = "fake", string(crew.Headless), story.DefaultLimits()
	r.Verify, r.Setup, r.Learnings, r.Stories = []string{"true"}, []string{}, []story.Learning{}, []story.Progress{}
	if change != nil {
		change(r)
	}
	trees, err := loop.Plan(w.Context(), r, worktree.Options{Environ: os.Environ()})
	if err == nil {
		err = trees.Make(w.Context())
	}
	if err == nil {
		err = w.loop.Directory.Make(r)
	}
	if err != nil {
		w.Fatal(err)
	}
	return r
}

// run works on a run until it ends.
func (w *world) run(ctx context.Context, id string, limits story.Limits) *story.Run {
	w.Helper()
	r, err := w.loop.Run(ctx, id, limits, func(e story.Event) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.events = append(w.events, e)
		if w.heard != nil {
			w.heard(e)
		}
	})
	if err != nil && !core.AsError(err).HasCode(core.Cancelled) {
		w.Fatal(err)
	}
	return r
}

// expect is that a run ended for a reason, with its stories in some states.
func (w *world) expect(r *story.Run, reason story.Reason, states ...story.Step) {
	w.Helper()
	got := []story.Step{}
	for i := range r.Stories {
		got = append(got, r.Stories[i].State)
	}
	if r.Reason != reason || !slices.Equal(got, states) {
		w.Errorf("it ended by %q with %q: %s, want %q with %q", r.Reason, got, r.Error, reason, states)
		for _, e := range w.events {
			w.Logf("%s %s %d %s %s", e.Type, e.Story, e.Try, e.Text, e.Output)
		}
	}
}

// said counts the events of a type.
func (w *world) said(kind story.EventType) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.events {
		if e.Type == kind {
			n++
		}
	}
	return n
}

// commits are the titles of the commits of stories of a run, the oldest first.
func (w *world) commits(r *story.Run) []string {
	w.Helper()
	out := gittest.Run(w, w.repo, nil, "log", "--reverse", "--format=%s", r.Base+".."+r.Branch)
	return slices.DeleteFunc(
		strings.FieldsFunc(out, func(c rune) bool { return c == '\n' }),
		func(title string) bool {
			return title == "The change add-login as it is in the working tree"
		},
	)
}

// file is a file as it is on the branch of a run.
func (w *world) file(r *story.Run, name string) string {
	w.Helper()
	return gittest.Run(w, w.repo, nil, "show", r.Branch+":"+name)
}

// trees are the worktrees of agents.
func (w *world) trees() int {
	w.Helper()
	repo, err := worktree.Open(w.Context(), w.repo, worktree.Options{})
	if err != nil {
		w.Fatal(err)
	}
	trees, err := repo.Trees(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	return len(trees)
}
