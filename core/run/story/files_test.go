package story_test

import (
	"bytes"
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

	"github.com/gofrs/flock"

	"cupola/core"
	"cupola/core/run/story"
)

// Variables that make the test binary tick one task, for tests with many processes.
const (
	tickPath, tickID, tickLocks = "STORY_TEST_PATH", "STORY_TEST_ID", "STORY_TEST_LOCKS"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(tickPath); path != "" {
		if _, err := (story.Files{Locks: os.Getenv(tickLocks)}).Tick(context.Background(), path, os.Getenv(tickID),
			true); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestTick(t *testing.T) {
	for _, c := range []struct {
		name, before, id string
		done             bool
		want             string
	}{
		{"exact", "- [ ] 1.10 b\n- [ ] 1.1 a\n", "1.1", true, "- [ ] 1.10 b\n- [x] 1.1 a\n"},
		{"already", "- [X ] 1.1 a", "1.1", true, "- [X ] 1.1 a"},
		{"not yet", "- [~] 1.1 a", "1.1", false, "- [~] 1.1 a"},
		{"bytes", "\uFEFF+ [ ]\t1.1 \xff  \r\n\r\n x", "1.1", true, "\uFEFF+ [x]\t1.1 \xff  \r\n\r\n x"},
		{"empty box", "- [] 1.1 a", "1.1", true, "- [x] 1.1 a"},
		{"wide box", "- [   ] 1.1 a", "1.1", true, "- [x  ] 1.1 a"},
		{"padded", "- [ x ] 1.1 a", "1.1", false, "- [   ] 1.1 a"},
		{"other mark", "- [~] 1.1 a", "1.1", true, "- [x] 1.1 a"},
		{"a box that must not become a link", "- [ ](a)", "1", true, "- [x] (a)"},
		{"a wide space", "- [\u3000] a", "1", true, "- [x] a"},
		{"code", "## 1. A\n```\n- [ ] a\n```\n", "1.1", true, "## 1. A\n```\n- [x] a\n```\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			target, link := filepath.Join(dir, "target"), filepath.Join(dir, "tasks.md")
			write(t, target, c.before)
			if err := errors.Join(os.Chmod(target, 0o640), os.Symlink("target", link)); err != nil {
				t.Fatal(err)
			}
			was, err := os.Stat(target)
			if err != nil {
				t.Fatal(err)
			}
			change, err := story.Files{Locks: filepath.Join(dir, "locks")}.Tick(t.Context(), link, c.id, c.done)
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := os.ReadFile(target); string(got) != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if _, task := change.Task(c.id); task == nil || task.Done != c.done {
				t.Errorf("the answer has %+v", task)
			}
			is, err := os.Stat(target)
			if err != nil || is.Mode().Perm() != 0o640 || (c.want == c.before) != os.SameFile(was, is) {
				t.Errorf("%v, %v", is, err)
			}
			if to, err := os.Readlink(link); err != nil || to != "target" {
				t.Errorf("the link leads to %q, %v", to, err)
			}
			if info, err := os.Stat(filepath.Join(dir, "locks")); err != nil || info.Mode().Perm() != 0o700 {
				t.Errorf("the locks are %v, %v", info, err)
			}
		})
	}
}

func TestTickRefuses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "tasks.md")
	write(t, path, "- [ ] 1.1 a\n- [ ] 1.10 b\n")
	write(t, filepath.Join(dir, "no", "x"), "")
	files := story.Files{Locks: filepath.Join(dir, "locks")}
	for _, c := range []struct {
		path, id string
		code     core.Code
	}{
		{path, "1", core.TaskNotFound},
		{path, "", core.TaskNotFound},
		{path, "1.1 a", core.TaskNotFound},
		{filepath.Join(dir, "none"), "1", core.NotFound},
		{filepath.Join(dir, "no"), "1", core.IOError},
		{os.DevNull, "1", core.IOError},
	} {
		_, err := files.Tick(t.Context(), c.path, c.id, true)
		if !core.AsError(err).HasCode(c.code) {
			t.Errorf("%s, %q: %v, want %s", c.path, c.id, err, c.code)
		}
	}
	_, err := files.Tick(t.Context(), path, "1.100", true)
	if e := core.AsError(err); !slices.Contains(e.Suggestions, "1.10") {
		t.Errorf("%v suggests %v", err, e.Suggestions)
	}
	if got, _ := os.ReadFile(path); string(got) != "- [ ] 1.1 a\n- [ ] 1.10 b\n" {
		t.Errorf("the file was changed: %q", got)
	}
}

func TestALockThatIsHeldIsWaitedFor(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "tasks.md")
	write(t, path, "- [ ] 1.1 a\n")
	files := story.Files{Locks: filepath.Join(dir, "locks")}
	if _, err := files.Tick(t.Context(), path, "1.1", true); err != nil {
		t.Fatal(err)
	}
	held, err := filepath.Glob(filepath.Join(dir, "locks", "*.lock"))
	if err != nil || len(held) != 1 {
		t.Fatalf("%v, %v", held, err)
	}
	lock := flock.New(held[0])
	if err := lock.Lock(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Unlock() }()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := files.Tick(ctx, path, "1.1", false); !core.AsError(err).HasCode(core.Cancelled) {
		t.Errorf("got %v", err)
	}
}

// many is how many tick at once.
const many = 20

func manyTasks(t *testing.T) (dir, path, want string) {
	t.Helper()
	dir = t.TempDir()
	path = filepath.Join(dir, "tasks.md")
	var text strings.Builder
	text.WriteString("## 1. A\r\n")
	for i := range many + 5 {
		fmt.Fprintf(&text, "- [ ] 1.%d a \xff\r\n", i+1)
	}
	write(t, path, text.String())
	return dir, path, strings.Replace(text.String(), "[ ]", "[x]", many)
}

func TestGoroutinesLoseNoTick(t *testing.T) {
	dir, path, want := manyTasks(t)
	var wait sync.WaitGroup
	for i := range many {
		wait.Go(func() {
			files := story.Files{Locks: filepath.Join(dir, "locks")}
			if _, err := files.Tick(t.Context(), path, fmt.Sprintf("1.%d", i+1), true); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if got, _ := os.ReadFile(path); string(got) != want {
		t.Errorf("got %q", got)
	}
}

func TestProcessesLoseNoTick(t *testing.T) {
	dir, path, want := manyTasks(t)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for i := range many {
		wait.Go(func() {
			command := exec.CommandContext(t.Context(), program)
			command.Env = append(os.Environ(), tickPath+"="+path, tickLocks+"="+filepath.Join(dir, "locks"),
				fmt.Sprintf("%s=1.%d", tickID, i+1))
			if out, err := command.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	wait.Wait()
	if got, _ := os.ReadFile(path); string(got) != want {
		t.Errorf("got %q", got)
	}
}

func FuzzTick(f *testing.F) {
	f.Add([]byte("## 1. A\n- [ ] 1.1 a\n- [ ](b)\r\n"), 1, true)
	f.Add([]byte("\xef\xbb\xbf- [\xe2\x80\xa8]\xff\n+ [ x ] T001 b (after 1)\n1. [] - [x]"), 0, false)
	f.Fuzz(func(t *testing.T, text []byte, n int, done bool) {
		before, _ := story.Parse(text)
		var tasks []story.Task
		for _, s := range before {
			tasks = append(tasks, s.Tasks...)
		}
		if len(tasks) == 0 || n < 0 {
			return
		}
		task := tasks[n%len(tasks)]
		dir := t.TempDir()
		path := filepath.Join(dir, "tasks.md")
		write(t, path, string(text))
		change, err := story.Files{Locks: dir}.Tick(context.Background(), path, task.ID, done)
		if err != nil {
			t.Fatal(err)
		}
		after, _ := os.ReadFile(path)
		got, _ := story.Parse(after)
		if fmt.Sprint(got) != fmt.Sprint(change.Stories) {
			t.Fatalf("the answer is not what is read:\n%v\n%v", change.Stories, got)
		}
		if _, now := change.Task(task.ID); now.Done != done {
			t.Fatalf("it is %+v", now)
		} else if task.Done != done {
			now.Done, now.Mark = task.Done, task.Mark
		}
		if fmt.Sprint(before) != fmt.Sprint(change.Stories) {
			t.Fatalf("more is changed:\n%v\n%v", before, change.Stories)
		}
		was, is := bytes.Split(text, []byte("\n")), bytes.Split(after, []byte("\n"))
		if len(was) != len(is) {
			t.Fatalf("%d lines, then %d", len(was), len(is))
		}
		for i := range was {
			if i+1 != task.Line && !bytes.Equal(was[i], is[i]) {
				t.Fatalf("line %d is changed: %q, %q", i+1, was[i], is[i])
			}
		}
		if open := bytes.IndexByte(is[task.Line-1], '['); !bytes.HasPrefix(was[task.Line-1], is[task.Line-1][:open+1]) {
			t.Fatalf("the line is %q, then %q", was[task.Line-1], is[task.Line-1])
		}
	})
}
