package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"cupola/core/engine/enginetest"
	"cupola/core/git/gittest"
	"cupola/core/system/shell/shelltest"
)

// storyKind is an agent that edits files, and prints that it did.
const storyKind = `id = "worker"
short = "wo"
name = "Worker"
[launch]
command = ["worker"]
[headless]
format = "text"
[headless.sandbox.workspace-write]
guarantee = "It only edits."
`

// storyWorker does a story by its prompt alone, and so that it can be repeated after half of it. Three stories write
// to one file. The third story's requirement is met only when the prompt says why its first try was not accepted.
const storyWorker = `#!/bin/sh
. MOMENTS/reached
edit() { sed "$1" "$2" >"$TMPDIR/$$" && mv "$TMPDIR/$$" "$2"; }
in=$(cat)
story=$(printf '%s\n' "$in" | sed -n 's/^# Story \([^:]*\):.*/\1/p')
tasks=$(printf '%s\n' "$in" | sed -n 's/^Its tasks, in the file \(.*\):$/\1/p')
mkdir -p made
echo "story $story" >made/$story
edit "s/^- \[ \] $story\.1 /- [x] $story.1 /" "$tasks"
sleep 0.02
reached agent
edit '/^<<<<<<< /d; /^=======$/d; /^>>>>>>> /d' shared
case $story in [124]) grep -qx "story $story" shared || echo "story $story" >>shared;; esac
case $in in *"# Why the last try"*) [ $story != 3 ] || echo more >made/3-more;; esac
edit "s/^- \[ \] $story\.2 /- [x] $story.2 /" "$tasks"
reached agent
echo "Story $story is done."
`

// storyCheck proves a story, and leaves a file behind that no commit may have. It fails where the third story is half
// done, and where the agent of another story left a mark.
const storyCheck = `#!/bin/sh
. MOMENTS/reached
echo $$ >artefact
mkdir -p artefacts ignored
date +%N >artefacts/$$
date +%N >ignored/$$
reached check
sleep 0.02
if [ -e made/3 ] && [ ! -e made/3-more ]; then echo 'more is missing'; exit 1; fi
! grep -l '^[<=>]\{7\}' shared
`

// storyGit is git, and a moment of its own before and behind each call.
const storyGit = `#!/bin/sh
. MOMENTS/reached
case " $* " in
*" cherry-pick "*) name=cherry-pick;; *" update-ref refs/heads/"*) name=update-ref;; *" worktree "*) name=worktree;;
*) name=;;
esac
reached git
REAL "$@"
status=$?
reached git
[ -z $name ] || reached $name
exit $status
`

// storyReached counts how often the moment was reached at which the program is to be killed, and kills it.
const storyReached = `reached() {
	[ -e MOMENTS/die ] && read -r moment times <MOMENTS/die && [ "$1" = "$moment" ] || return 0
	echo >>MOMENTS/$1
	[ $(wc -l <MOMENTS/$1) -lt "$times" ] || kill -KILL $(cat MOMENTS/pid)
}
`

// storyTasks are the tasks of five stories.
func storyTasks() string {
	text := "# Tasks\n"
	for i := 1; i <= 5; i++ {
		text += fmt.Sprintf("\n## %d. Part %d\n\n- [ ] %d.1 Make it\n- [ ] %d.2 Share it\n", i, i, i, i)
	}
	return text
}

// storyMachine is a machine with a repository that has a change, and a scripted agent that works on it.
type storyMachine struct {
	*machine
	repo, moments string
}

func newStoryMachine(t *testing.T) *storyMachine {
	t.Helper()
	m := &storyMachine{machine: newMachine(t), moments: t.TempDir()}
	m.repo = m.storyRepo(t)
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	bin, kinds := t.TempDir(), filepath.Join(m.home, ".config", "cupola", "agents")
	if err := os.MkdirAll(kinds, 0o700); err != nil {
		t.Fatal(err)
	}
	named := strings.NewReplacer("MOMENTS", m.moments, "REAL", git)
	for path, text := range map[string]string{
		filepath.Join(kinds, "worker.toml"): storyKind, filepath.Join(m.moments, "reached"): storyReached,
		filepath.Join(bin, "worker"): storyWorker, filepath.Join(bin, "check"): storyCheck,
		filepath.Join(bin, "git"): storyGit,
	} {
		if err := shelltest.WriteProgram(path, []byte(named.Replace(text))); err != nil {
			t.Fatal(err)
		}
	}
	m.putFirst(bin)
	return m
}

// storyRepo makes a repository in which a user works: files are changed, new, ignored, linked and executable. The
// change is in no commit.
func (m *machine) storyRepo(t *testing.T) string {
	t.Helper()
	repo := filepath.Join(m.tmux.Dir, "repo")
	write := func(name, text string, mode fs.FileMode) {
		path := filepath.Join(repo, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("shared", "all\n", 0o644)
	write("tracked", "before\n", 0o644)
	write("run", "#!/bin/sh\n", 0o755)
	write(".gitignore", "/ignored\n*.local\n", 0o644)
	gittest.Run(t, repo, nil, "init", "-q", "-b", "main")
	gittest.Run(t, repo, nil, "config", "core.autocrlf", "false")
	gittest.Run(t, repo, nil, "add", ".")
	gittest.Run(t, repo, nil, "commit", "-q", "-m", "first")
	write("tracked", "after\n", 0o644)
	write("staged", "staged\n", 0o644)
	gittest.Run(t, repo, nil, "add", "staged")
	write("new/file", "new\n", 0o640)
	write("settings.local", "mine\n", 0o600)
	write("ignored/cache", "\x00\xff", 0o644)
	write("openspec/changes/parts/proposal.md", "# Parts\n\nIt needs parts.\n", 0o644)
	write("openspec/changes/parts/tasks.md", storyTasks(), 0o644)
	if err := os.Symlink("shared", filepath.Join(repo, "link")); err != nil {
		t.Fatal(err)
	}
	return repo
}

// userTree is all that a user has in a repository: each file with its mode and content, what git says of them, and
// what is checked out.
func userTree(t *testing.T, repo string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(repo, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && entry.Name() == ".git" {
			return fs.SkipDir
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		text := []byte(nil)
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			text = []byte(target)
		case info.Mode().IsRegular():
			if text, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		fmt.Fprintf(&b, "%s %s %x\n", path, info.Mode(), sha256.Sum256(text))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"status", "--porcelain", "--ignored"},
		{"ls-files", "--stage"},
		{"rev-parse", "HEAD"},
		{"symbolic-ref", "HEAD"},
		{"stash", "list"},
	} {
		b.WriteString(gittest.Run(t, repo, nil, args...) + "\n")
	}
	return b.String()
}

// storyRecord is the part of the record of a run of stories that a test reads.
type storyRecord struct {
	ID, State, Reason, Branch, Worktree, Error string
	Code                                       string `json:"error_code"`
	Base                                       string `json:"base_commit"`
	Iterations                                 int
	CostUSD                                    float64 `json:"cost_usd"`
	Stories                                    []struct {
		ID, State, Commit, Worktree, Branch, Failure string
		Tries                                        []struct {
			Outcome, Failure, Answer, Pane string
			Merge                          bool
			CostUSD                        float64 `json:"cost_usd"`
			Checks                         []struct {
				Passed bool
				Output string
			}
		}
	}
}

// storyRuns are the runs of stories, the newest first.
func (m *machine) storyRuns() []storyRecord {
	m.t.Helper()
	var out struct{ Runs []storyRecord }
	got := m.cupola("--robot-format=json", "story", "runs", "--fields=full")
	if err := json.Unmarshal([]byte(got.stdout), &out); err != nil {
		m.t.Fatalf("%v: %+v", err, got)
	}
	return out.Runs
}

// storyStatus is all that is on record of a run.
func (m *machine) storyStatus(id string) storyRecord {
	m.t.Helper()
	var r storyRecord
	got := m.cupola("--robot-format=json", "story", "status", id)
	if err := json.Unmarshal([]byte(got.stdout), &r); err != nil {
		m.t.Fatalf("%v: %+v", err, got)
	}
	return r
}

// cut runs the program in the repository until its end, or until it is killed: at a moment that is reached for the
// n-th time, or after a while where the moment has no name. It reports whether it was killed.
func (m *storyMachine) cut(moment string, n int, after time.Duration, args ...string) bool {
	m.t.Helper()
	for _, name := range []string{"die", moment} {
		if name != "" {
			_ = os.Remove(filepath.Join(m.moments, name))
		}
	}
	if moment != "" {
		die := []byte(moment + " " + strconv.Itoa(n) + "\n")
		if err := os.WriteFile(filepath.Join(m.moments, "die"), die, 0o600); err != nil {
			m.t.Fatal(err)
		}
	}
	var out strings.Builder
	cmd := m.command("/bin/sh", append([]string{
		"-c", `echo $$ >` + m.moments + `/pid; exec "$@"`, "sh", m.program, "--robot-format=json",
	}, args...)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = m.repo, &out, &out
	cmd.WaitDelay = testTimeout
	if err := cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	if after > 0 {
		timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
		defer timer.Stop()
	}
	err := cmd.Wait()
	if err != nil && cmd.ProcessState.ExitCode() >= 0 {
		m.t.Fatalf("%q: %v\n%s", args, err, &out)
	}
	return err != nil
}

// storyDeath is where a run of stories is killed.
type storyDeath struct {
	moment string
	n      int
	after  time.Duration
}

// TestStoriesThatAreKilledLoseNothing kills the program within runs of five stories, and resumes each until it is
// done: its branch equals the branch of a run that was never killed.
func TestDeepStoriesThatAreKilledLoseNothing(t *testing.T) {
	enginetest.Deep(t)
	for parallel := 1; parallel <= 2; parallel++ {
		t.Run(fmt.Sprintf("%d at once", parallel), func(t *testing.T) {
			t.Parallel()
			killStories(t, parallel)
		})
	}
}

func killStories(t *testing.T, parallel int) {
	t.Helper()
	random := enginetest.Random(t)
	m := newStoryMachine(t)
	user := userTree(t, m.repo)
	run := []string{"story", "run", "parts", "--agent=worker", "--verify=check", "--parallel=" + strconv.Itoa(parallel)}
	began := time.Now()
	if m.cut("", 0, 0, run...) {
		t.Fatal("it was killed")
	}
	took := time.Since(began)
	first := m.storyStatus("parts")
	want := m.storyMade(t, &first)
	deaths := []storyDeath{{moment: "agent", n: 1 + random.IntN(4)}, {moment: "check", n: 1 + random.IntN(2)}}
	if parallel > 1 {
		deaths = append(deaths, storyDeath{moment: "cherry-pick", n: 1 + random.IntN(2)})
	} else {
		deaths = append(deaths, storyDeath{moment: "git", n: 1 + random.IntN(50)})
	}
	deaths = append(deaths, storyDeath{moment: "update-ref", n: 1 + random.IntN(2)})
	for range 20 {
		deaths = append(deaths, storyDeath{moment: "git", n: 1 + random.IntN(200)},
			storyDeath{after: time.Duration(random.Int64N(int64(took)))})
	}
	runs, kills := 0, 0
	for len(deaths) > 0 {
		args := run
		for id := ""; ; {
			death := storyDeath{}
			if len(deaths) > 0 {
				death, deaths = deaths[0], deaths[1:]
			}
			if m.cut(death.moment, death.n, death.after, args...) {
				kills++
			}
			m.nothingRuns(t)
			all := m.storyRuns()
			if len(all) == runs+1 && id == "" {
				continue // it was killed before it was on record
			}
			id, args = all[0].ID, []string{"story", "resume", all[0].ID}
			if all[0].State == "completed" {
				break
			}
		}
		runs++
		last := m.storyStatus("parts")
		if got := m.storyMade(t, &last); got != want {
			t.Fatalf("the tree is %s\nnot %s: %s", got, want,
				gittest.Run(t, m.repo, nil, "diff", "--stat", "-p", want, got))
		}
		if now := userTree(t, m.repo); now != user {
			t.Fatalf("the user's files are\n%s\nwere\n%s", now, user)
		}
	}
	m.onlyRunsAreLeft(t, runs+1)
	if kills < 4 {
		t.Errorf("it was killed only %d times", kills)
	}
	t.Logf("killed %d times in %d runs; one that is not takes %s", kills, runs, took)
}

// nothingRuns waits until no agent, no verification and no git is left. What ends them may itself take longer.
func (m *machine) nothingRuns(t *testing.T) {
	t.Helper()
	var left []string
	enginetest.Eventually(t, testTimeout, func() bool {
		left = slices.DeleteFunc(m.processes(), func(process string) bool {
			return strings.HasPrefix(process, "/bin/sh -c trap '' HUP") || process == "sleep 2"
		})
		return len(left) == 0
	}, func() string { return "processes are left: " + strings.Join(left, ", ") })
}

// storyMade sees that a run has done each story once, in one commit, and returns the tree that it made.
func (m *storyMachine) storyMade(t *testing.T, r *storyRecord) string {
	t.Helper()
	if r.State != "completed" || len(r.Stories) != 5 {
		t.Fatalf("the run is %+v", r)
	}
	log := gittest.Run(t, m.repo, nil, "log", "--reverse",
		"--format=%H %(trailers:key=Cupola-Story,valueonly,separator=%x20)", r.Base+".."+r.Branch)
	var want []string
	for i := range r.Stories {
		s := &r.Stories[i]
		want = append(want, s.Commit+" "+s.ID)
		if s.Worktree != "" || s.Branch != "" {
			t.Errorf("story %s still has the worktree %s and the branch %s", s.ID, s.Worktree, s.Branch)
		}
		tries, failed := len(s.Tries), 0
		for j := range s.Tries {
			if s.Tries[j].Outcome == "failed" {
				failed++
			}
			if s.Tries[j].Merge { // one resolved a conflict
				tries, failed = tries-1, failed-1
			}
		}
		if wanted := 1 + strings.Count(s.ID, "3"); tries != wanted || failed != wanted-1 {
			t.Errorf("story %s was tried %d times, of which %d failed: %+v", s.ID, tries, failed, s.Tries)
		}
	}
	// The first commit is of the change itself.
	if got := strings.Split(log, "\n"); !strings.HasSuffix(got[0], " ") || !slices.Equal(got[1:], want) {
		t.Errorf("the commits are\n%s\nwant\n%s", log, strings.Join(want, "\n"))
	}
	if status := gittest.Run(t, r.Worktree, nil, "status", "--porcelain"); status != "" {
		t.Errorf("the worktree has\n%s", status)
	}
	return gittest.Run(t, m.repo, nil, "rev-parse", r.Branch+"^{tree}")
}

// onlyRunsAreLeft sees that there is one branch and one worktree for each run.
func (m *storyMachine) onlyRunsAreLeft(t *testing.T, runs int) {
	t.Helper()
	for what, args := range map[string][]string{
		"branches": {"branch", "--list", "--format=%(refname)"}, "worktrees": {"worktree", "list"},
	} {
		list := gittest.Run(t, m.repo, nil, args...)
		if strings.Count(list, "\n") != runs {
			t.Errorf("%d runs have the %s\n%s", runs, what, list)
		}
	}
}
