package loop_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/git/gittest"
	"cupola/core/run/story"
	"cupola/core/run/story/loop"
)

// honest does its story.
func honest(_ context.Context, a *asked) (string, error) {
	a.do("story-"+a.story+".txt", "done\n")
	a.tick()
	return "Done.\nLEARNED: about " + a.story, nil
}

func TestStoriesAreDoneOneAfterTheOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3, honest)
	r := w.run(t.Context(), w.begin(nil).ID, story.Limits{})
	w.expect(r, story.AllDone, story.Done, story.Done, story.Done)
	want := []string{"Story 1: Story 1", "Story 2: Story 2", "Story 3: Story 3"}
	if got := w.commits(r); !slices.Equal(got, want) {
		t.Errorf("the commits are %q", got)
	}
	if text := w.file(r, tasksFile); strings.Contains(text, "[ ]") {
		t.Errorf("tasks are open:\n%s", text)
	}
	if text := w.file(r, "openspec/changes/add-login/design.md"); strings.Count(text, "about ") != 3 {
		t.Errorf("the design is\n%s", text)
	}
	events, _, err := loop.Events(w.loop.Directory, r.ID, 0)
	if err != nil || len(events) != len(w.events) || events[len(events)-1].Type != story.RunEnd {
		t.Errorf("%d events are on record, %d were told, %v", len(events), len(w.events), err)
	}
}

// promises are agents that say more, or less, than they do.
var promises = map[string]struct {
	does   agent
	reason story.Reason
	states []story.Step
	tries  int
	failed string
}{
	"one that only promises": {
		func(context.Context, *asked) (string, error) { return "<promise>COMPLETE</promise>", nil },
		story.NoProgress,
		[]story.Step{story.GivenUp},
		3, "tasks are not ticked: 1.1, 1.2",
	},
	"one that fails, but did it": {
		func(ctx context.Context, a *asked) (string, error) {
			_, _ = honest(ctx, a)
			return "", core.Errorf(core.BackendFailed, "it broke")
		},
		story.AllDone,
		[]story.Step{story.Done},
		1, "",
	},
	"one that ticks and does nothing": {
		func(_ context.Context, a *asked) (string, error) {
			a.tick()
			a.do("noise.txt", fmt.Sprint(a.times))
			return "Done.", nil
		},
		story.Retries,
		[]story.Step{story.GivenUp},
		4, "failed with exit status 1",
	},
	"one that removes its tasks": {
		func(_ context.Context, a *asked) (string, error) {
			a.do("story-1.txt", fmt.Sprint(a.times))
			a.do(tasksFile, "## 1. Story 1\n- [x] 1.1 write it\n")
			return "Done.", nil
		},
		story.Retries,
		[]story.Step{story.GivenUp},
		4, "tasks are gone from the list, which was put back: 1.2",
	},
	"one that removes the story": {
		func(ctx context.Context, a *asked) (string, error) {
			if a.times == 1 {
				a.do(tasksFile, "# Nothing\n")
				return "Done.", nil
			}
			return honest(ctx, a)
		},
		story.AllDone,
		[]story.Step{story.Done},
		2, "",
	},
	"one that removes the file of tasks": {
		func(ctx context.Context, a *asked) (string, error) {
			if a.times > 1 {
				return honest(ctx, a)
			}
			path := filepath.Join(a.dir, tasksFile)
			return "Done.", errors.Join(os.Remove(path), os.Mkdir(path, 0o755))
		},
		story.AllDone,
		[]story.Step{story.Done},
		2, "",
	},
	"one that makes the change a link": {
		func(ctx context.Context, a *asked) (string, error) {
			if a.times > 1 {
				return honest(ctx, a)
			}
			change, outside := filepath.Dir(filepath.Join(a.dir, tasksFile)), a.TempDir()
			theirs := filepath.Join(outside, filepath.Base(tasksFile))
			a.Cleanup(func() {
				if text, err := os.ReadFile(theirs); err != nil || string(text) != "- [ ] 1.1 theirs\n" {
					a.Errorf("the file outside holds %q, %v", text, err)
				}
			})
			return "Done.", errors.Join(os.WriteFile(theirs, []byte("- [ ] 1.1 theirs\n"), 0o600), os.RemoveAll(change),
				os.Symlink(outside, change))
		},
		story.AllDone,
		[]story.Step{story.Done},
		2, "",
	},
	"one that commits as a run does": {
		func(ctx context.Context, a *asked) (string, error) {
			if a.times == 1 {
				gittest.Run(a, a.dir, nil, "commit", "-q", "--allow-empty", "-m", "Story 1\n\nCupola-Story: 1\n")
				a.do("noise.txt", "noise")
				return "Done.", nil
			}
			return honest(ctx, a)
		},
		story.AllDone,
		[]story.Step{story.Done},
		2, "",
	},
	"one that is blocked says why": {
		func(_ context.Context, a *asked) (string, error) {
			a.do("noise.txt", fmt.Sprint(a.times))
			return "**BLOCKED: no network**", nil
		},
		story.Blocked,
		[]story.Step{story.GivenUp},
		1, "the agent said: no network",
	},
	"one that fails and did nothing": {
		func(context.Context, *asked) (string, error) {
			return "", core.Errorf(core.BackendFailed, "worker broke")
		},
		story.NoProgress,
		[]story.Step{story.GivenUp},
		3, "the agent failed: worker broke\ntasks are not ticked: 1.1, 1.2",
	},
	"one that learns from its failure": {
		func(ctx context.Context, a *asked) (string, error) {
			if a.times < 3 {
				a.tick()
				return "Done.", nil
			}
			if !strings.Contains(a.prompt, "test -f story-1.txt failed with exit status 1") {
				a.Errorf("the prompt is\n%s", a.prompt)
			}
			return honest(ctx, a)
		},
		story.AllDone,
		[]story.Step{story.Done},
		3, "",
	},
	"one that commits on a branch of its own": {
		func(ctx context.Context, a *asked) (string, error) {
			gittest.Run(a, a.dir, nil, "checkout", "-q", "-b", "mine")
			text, err := honest(ctx, a)
			gittest.Run(a, a.dir, nil, "add", "-A")
			gittest.Run(a, a.dir, nil, "commit", "-q", "-m", "mine")
			return text, err
		},
		story.AllDone,
		[]story.Step{story.Done},
		1, "",
	},
}

func TestAPromiseIsNoProof(t *testing.T) {
	t.Parallel()
	for name, test := range promises {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, 1, test.does)
			r := w.run(t.Context(), w.begin(func(r *story.Run) {
				r.Verify = []string{"echo proof >proof.out; rm a.txt; echo x >>" + tasksFile + "; test -f story-1.txt"}
			}).ID, story.Limits{})
			w.expect(r, test.reason, test.states...)
			p := &r.Stories[0]
			if len(p.Tries) != test.tries || !strings.Contains(p.Failure, test.failed) ||
				test.failed == "" && p.Failure != "" {
				t.Errorf("%d tries, %q, want %d, %q", len(p.Tries), p.Failure, test.tries, test.failed)
			}
			commits := map[bool]int{true: 1, false: 0}[test.reason == story.AllDone]
			if got := w.commits(r); len(got) != commits {
				t.Errorf("the commits are %q", got)
			}
			out := gittest.Run(t, w.repo, nil, "ls-tree", "-r", "--name-only", r.Branch)
			if strings.Contains(out, "proof.out") || !strings.Contains(out, "a.txt") ||
				strings.HasSuffix(w.file(r, tasksFile), "x") {
				t.Errorf("what the verification changed is committed: %s", out)
			}
		})
	}
}

func TestWhatIsTickedBeyondAStoryIsPutBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2, func(ctx context.Context, a *asked) (string, error) {
		a.tickStory("2")
		return honest(ctx, a)
	})
	r := w.run(t.Context(), w.begin(nil).ID, story.Limits{})
	w.expect(r, story.AllDone, story.Done, story.Done)
	if w.said(story.Scope) != 2 || w.times["2"] != 1 {
		t.Errorf("%d marks were put back, story 2 was worked on %d times", w.said(story.Scope), w.times["2"])
	}
}

func TestLimitsEndARun(t *testing.T) {
	t.Parallel()
	never := func(_ context.Context, a *asked) (string, error) {
		a.do("noise.txt", fmt.Sprint(a.story, a.times))
		return "Not yet.", nil
	}
	for name, test := range map[string]struct {
		limit  func(*story.Limits)
		reason story.Reason
		tries  int
	}{
		"retries":    {func(l *story.Limits) { l.MaxRetries = 1 }, story.Retries, 2},
		"iterations": {func(l *story.Limits) { l.MaxIterations = 2 }, story.MaxIterations, 2},
		"budget":     {func(l *story.Limits) { l.BudgetUSD = 3 }, story.Budget, 3},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, 1, never)
			w.cost = 1
			r := w.run(t.Context(), w.begin(func(r *story.Run) { test.limit(&r.Limits) }).ID, story.Limits{})
			if r.Reason != test.reason || r.Iterations != test.tries || r.State != story.Failed || r.Error == "" {
				t.Errorf("it ended by %s after %d tries: %s", r.Reason, r.Iterations, r.Error)
			}
		})
	}
	t.Run("time", func(t *testing.T) {
		w := newWorld(t, 1, func(ctx context.Context, a *asked) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		})
		r := w.run(
			t.Context(),
			w.begin(func(r *story.Run) { r.Limits.TimeLimit = 50 * time.Millisecond }).ID,
			story.Limits{},
		)
		if r.Reason != story.TimeLimit || r.State != story.Failed {
			t.Errorf("it ended by %s: %s", r.Reason, r.Error)
		}
	})
	t.Run("nobody can help", func(t *testing.T) {
		w := newWorld(t, 1, func(context.Context, *asked) (string, error) {
			return "", core.Errorf(core.AuthFailed, "sign in first")
		})
		r := w.run(t.Context(), w.begin(nil).ID, story.Limits{})
		if r.Reason != story.Error || r.ErrorCode != core.AuthFailed || r.Iterations != 1 {
			t.Errorf("it ended by %s after %d tries: %s", r.Reason, r.Iterations, r.Error)
		}
	})
}

func TestTasksThatTheUserAddsDuringARunAreNamed(t *testing.T) {
	t.Parallel()
	for added, want := range map[string]int{"": 0, "- [ ] 9.1 one more\n- [ ] 9.2 another\n": 1} {
		var w *world
		w = newWorld(t, 1, func(ctx context.Context, a *asked) (string, error) {
			list, err := os.ReadFile(filepath.Join(w.repo, tasksFile))
			if err != nil {
				t.Error(err)
			}
			w.write(tasksFile, string(list)+added)
			w.before = w.tree()
			return honest(ctx, a)
		})
		r := w.run(t.Context(), w.begin(nil).ID, story.Limits{})
		w.expect(r, story.AllDone, story.Done)
		var notes []string
		for i := range w.events {
			if e := &w.events[i]; e.Type == story.Note && e.Story == "" {
				notes = append(notes, e.Text)
			}
		}
		if len(notes) != want || want > 0 && !strings.Contains(notes[0], "has 2 tasks more") {
			t.Errorf("%q was added; the notes are %q", added, notes)
		}
	}
}

func TestAStoryThatWasGivenUpIsVerifiedFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2, func(ctx context.Context, a *asked) (string, error) {
		if a.story == "1" {
			a.do("noise.txt", fmt.Sprint(a.times))
			return "No.", nil
		}
		return honest(ctx, a)
	})
	r := w.run(t.Context(), w.begin(nil).ID, story.Limits{})
	w.expect(r, story.Retries, story.GivenUp, story.Open)
	// The user does it.
	user := &asked{T: t, dir: r.Worktree, story: "1"}
	_, _ = honest(t.Context(), user)
	r = w.run(t.Context(), r.ID, story.Limits{})
	w.expect(r, story.AllDone, story.Done, story.Done)
	if w.times["1"] != 4 {
		t.Errorf("agents worked on story 1 %d times", w.times["1"])
	}
}

func TestARunThatGoesOnHasItsRetriesAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, func(ctx context.Context, a *asked) (string, error) {
		if a.times < 4 {
			a.do("noise.txt", fmt.Sprint(a.times))
			return "No.", nil
		}
		return honest(ctx, a)
	})
	r := w.run(t.Context(), w.begin(func(r *story.Run) { r.Limits.MaxRetries = 1 }).ID, story.Limits{})
	w.expect(r, story.Retries, story.GivenUp)
	r = w.run(t.Context(), r.ID, story.Limits{})
	w.expect(r, story.AllDone, story.Done)
	if n := len(r.Stories[0].Tries); n != 4 {
		t.Errorf("there were %d tries", n)
	}
}

// clash writes its line into a file that all stories change.
func clash(ctx context.Context, a *asked) (string, error) {
	path := filepath.Join(a.dir, "shared.txt")
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	if strings.Contains(a.prompt, "# Resolve a conflict") {
		kept := slices.DeleteFunc(strings.Split(string(text), "\n"), func(line string) bool {
			return strings.HasPrefix(line, "<<<<<<<") || strings.HasPrefix(line, "=======") ||
				strings.HasPrefix(line, ">>>>>>>")
		})
		a.do("shared.txt", strings.Join(kept, "\n"))
	} else if line := "story " + a.story + "\n"; !strings.Contains(string(text), line) {
		a.do("shared.txt", string(text)+line)
	}
	return honest(ctx, a)
}

func TestStoriesAtOnceAreMergedInTheirOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4, clash)
	r := w.run(t.Context(), w.begin(func(r *story.Run) { r.Limits.Parallel = 4 }).ID, story.Limits{})
	w.expect(r, story.AllDone, story.Done, story.Done, story.Done, story.Done)
	want := []string{"Story 1: Story 1", "Story 2: Story 2", "Story 3: Story 3", "Story 4: Story 4"}
	if got := w.commits(r); !slices.Equal(got, want) {
		t.Errorf("the commits are %q", got)
	}
	if text := w.file(r, "shared.txt"); text != "story 1\nstory 2\nstory 3\nstory 4" {
		t.Errorf("the shared file is %q", text)
	}
	if text := w.file(r, tasksFile); strings.Contains(text, "[ ]") {
		t.Errorf("tasks are open:\n%s", text)
	}
	if w.said(story.Conflict) == 0 || w.trees() != 1 {
		t.Errorf("%d conflicts, %d worktrees are left", w.said(story.Conflict), w.trees())
	}
}

func TestAConflictThatNobodyResolvesEndsTheRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2, func(ctx context.Context, a *asked) (string, error) {
		if strings.Contains(a.prompt, "# Resolve a conflict") {
			a.do("noise.txt", fmt.Sprint(a.times))
			return "I cannot.", nil
		}
		return clash(ctx, a)
	})
	r := w.run(
		t.Context(),
		w.begin(func(r *story.Run) { r.Limits.Parallel, r.Limits.MaxRetries = 2, 1 }).ID,
		story.Limits{},
	)
	w.expect(r, story.Conflicted, story.Done, story.GivenUp)
	// The user resolves it in the worktree of the story.
	p := &r.Stories[1]
	user := &asked{T: t, dir: p.Worktree, story: "2", prompt: "# Resolve a conflict"}
	_, _ = clash(t.Context(), user)
	r = w.run(t.Context(), r.ID, story.Limits{})
	w.expect(r, story.AllDone, story.Done, story.Done)
	if text := w.file(r, "shared.txt"); text != "story 1\nstory 2" {
		t.Errorf("the shared file is %q", text)
	}
}

func TestStoriesWaitForThoseTheyDependOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3, honest)
	w.write(
		tasksFile,
		"## 1. One\nDepends on: 3\n- [ ] 1.1 a\n\n## 2. Two (depends on 1)\n- [ ] 2.1 b\n\n## 3. Three\n- [ ] 3.1 c\n",
	)
	w.before = w.tree()
	r := w.run(t.Context(), w.begin(func(r *story.Run) { r.Limits.Parallel = 3 }).ID, story.Limits{})
	w.expect(r, story.AllDone, story.Done, story.Done, story.Done)
	if got := strings.Join(w.commits(r), " "); got != "Story 3: Three Story 1: One Story 2: Two (depends on 1)" &&
		got != "Story 3: Three Story 1: One Story 2: Two" {
		t.Errorf("the commits are %q", got)
	}
}

func TestARunGoesOnWhereItWasCutOff(t *testing.T) {
	t.Parallel()
	for _, parallel := range []int{1, 3} {
		t.Run(fmt.Sprint(parallel), func(t *testing.T) {
			var tree string
			for seed := range uint64(2) {
				w := newWorld(t, 3, clash)
				r := w.begin(func(r *story.Run) { r.Limits.Parallel = parallel })
				dice := rand.New(rand.NewPCG(seed, 0))
				for cuts := 0; ; cuts++ {
					ctx, cut := context.WithCancel(t.Context())
					if seed > 0 && cuts < 4 {
						ctx, cut = context.WithTimeout(t.Context(), time.Duration(dice.IntN(600))*time.Millisecond)
					}
					r = w.run(ctx, r.ID, story.Limits{})
					cut()
					if r.Reason != story.StoppedBy {
						break
					}
				}
				w.expect(r, story.AllDone, story.Done, story.Done, story.Done)
				if got := w.commits(r); len(got) != 3 {
					t.Errorf("the commits are %q", got)
				}
				if got := w.file(r, "shared.txt"); tree == "" {
					tree = got
				} else if parallel > 1 && got != tree {
					t.Errorf("seed %d: the shared file is %q, want %q", seed, got, tree)
				}
			}
		})
	}
}

func TestAPausedRunBeginsNoTry(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2, nil)
	id := w.begin(nil).ID
	w.agent = func(ctx context.Context, a *asked) (string, error) {
		if a.story == "1" {
			if err := w.loop.Directory.Pause(id); err != nil {
				a.Error(err)
			}
		}
		return honest(ctx, a)
	}
	w.heard = func(e story.Event) {
		if e.Type != story.Pause {
			return
		}
		if w.times["2"] != 0 {
			t.Error("a try began")
		}
		if err := w.loop.Directory.Unpause(id); err != nil {
			t.Error(err)
		}
	}
	w.expect(w.run(t.Context(), id, story.Limits{}), story.AllDone, story.Done, story.Done)
	if w.said(story.Pause) != 1 || w.said(story.Resume) != 1 {
		t.Errorf("%d pauses, %d ends of one", w.said(story.Pause), w.said(story.Resume))
	}
}

func TestStopEndsTheAgent(t *testing.T) {
	t.Parallel()
	began := make(chan struct{})
	w := newWorld(t, 1, func(ctx context.Context, a *asked) (string, error) {
		a.do("half.txt", "half")
		close(began)
		<-ctx.Done()
		return "", ctx.Err()
	})
	r := w.begin(nil)
	stopped := make(chan error)
	go func() {
		<-began
		_, err := w.loop.Directory.Cancel(t.Context(), r.ID)
		stopped <- err
	}()
	r = w.run(t.Context(), r.ID, story.Limits{})
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	if r.State != story.Stopped || r.Reason != story.StoppedBy {
		t.Errorf("it is %s by %s", r.State, r.Reason)
	}
	if _, err := os.Stat(filepath.Join(r.Worktree, "half.txt")); err != nil {
		t.Error("what the agent did is gone")
	}
}

func TestAllStoriesBecomeOneCommit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3, honest)
	r := w.run(t.Context(), w.begin(func(r *story.Run) { r.Squash = true }).ID, story.Limits{})
	w.expect(r, story.AllDone, story.Done, story.Done, story.Done)
	if got := w.commits(r); !slices.Equal(got, []string{"add-login"}) {
		t.Errorf("the commits are %q", got)
	}
	if w.file(r, "story-3.txt") != "done" {
		t.Error("a file is gone")
	}
	if _, err := w.loop.Squash(t.Context(), r.ID); err != nil || len(w.commits(r)) != 1 {
		t.Errorf("a second time: %v", err)
	}
}

func TestIssuesAreStories(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "issues.json")
	text := `[{"number":8,"title":"Later","body":"Depends on #7","state":"open"},
		{"number":7,"title":"First","body":"- [ ] one\n- [ ] two","state":"OPEN"},
		{"number":9,"title":"Besides","state":"open"},
		{"number":6,"title":"Old","state":"closed","body":null}]`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, parallel := range []int{1, 2} {
		t.Run(fmt.Sprint(parallel), func(t *testing.T) {
			w := newWorld(t, 1, func(_ context.Context, a *asked) (string, error) {
				path := filepath.Join(a.dir, loop.Hidden)
				if a.times == 1 {
					// It drops what it should have done.
					return "Done.", os.WriteFile(path, []byte("# "+a.story+"\n"), 0o600)
				}
				text, err := os.ReadFile(path)
				if n := strings.Count(string(text), "[ ]"); a.story == "7" && n != 2 {
					a.Errorf("%d tasks are to be done:\n%s", n, text)
				}
				a.do(loop.Hidden, strings.ReplaceAll(string(text), "[ ]", "[x]"))
				a.do("issue-"+a.story, "done")
				return "Done.", err
			})
			stories, err := story.ReadIssues(file)
			if err != nil {
				t.Fatal(err)
			}
			r := w.run(t.Context(), w.begin(func(r *story.Run) {
				r.Source, r.Name, r.Path, r.Origin, r.Stories = story.Issues, "issues", "", file, stories
				r.Limits.Parallel, r.Limits.NoProgress = parallel, 6
			}).ID, story.Limits{})
			w.expect(r, story.AllDone, story.Done, story.Done, story.Done)
			want := []string{"Story 7: First", "Story 8: Later", "Story 9: Besides"}
			if got := w.commits(r); !slices.Equal(slices.Sorted(slices.Values(got)), want) {
				t.Errorf("the commits are %q", got)
			}
			out := gittest.Run(t, w.repo, nil, "ls-tree", "-r", "--name-only", r.Branch)
			if strings.Contains(out, loop.Hidden) || !strings.Contains(out, "issue-9") {
				t.Errorf("the branch has\n%s", out)
			}
		})
	}
}
