package store_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/record/store"
)

// actor names what a process of this test does instead of testing.
const actor = "STORE_TEST_ACTOR"

var actors = map[string]func(path string) error{
	"write": write, "fill": fill, "hold": hold, "visit": visit,
	"probe": probe,
}

func TestMain(m *testing.M) {
	act, ok := actors[os.Getenv(actor)]
	if !ok {
		os.Exit(m.Run())
	}
	if err := act(os.Args[1]); err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// write saves prompts until it is killed, and prints the id of each that is
// committed.
func write(path string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, path, store.Options{Busy: time.Minute})
	if err != nil {
		return err
	}
	for i := range 1_000_000 {
		id := fmt.Sprintf("%d-%06d", os.Getpid(), i)
		if err := store.PromptsIn(s).Save(ctx, aPrompt(id, strings.Repeat("x", 300))); err != nil {
			return err
		}
		fmt.Println(id)
	}
	return nil
}

// fill saves prompts until no file may grow any more, and then sees what is
// left.
func fill(path string) error {
	ctx := context.Background()
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 256 << 10, Max: 256 << 10}); err != nil {
		return err
	}
	if err := fillUp(ctx, path); err != nil {
		return err
	}
	fmt.Println("full")
	return nil
}

// fillUp returns nil if a full disk was an error that lost nothing.
func fillUp(ctx context.Context, path string) error {
	s, err := store.Open(ctx, path, store.Options{})
	if err != nil {
		return err
	}
	kept := 0
	for ; kept < 100_000; kept++ {
		if err = store.PromptsIn(s).Save(ctx, aPrompt(fmt.Sprint(kept), strings.Repeat("x", 3000))); err != nil {
			break
		}
	}
	if !core.AsError(err).HasCode(core.StoreError) {
		return fmt.Errorf("after %d prompts: %w", kept, errors.Join(err))
	}
	page, err := store.PromptsIn(s).Find(ctx, store.PromptQuery{Limit: 1})
	if err != nil || page.Total != kept || kept == 0 {
		return fmt.Errorf("of %d prompts %d are left: %w", kept, page.Total, errors.Join(err))
	}
	return s.Close()
}

// visit opens the stores that it reads of, again and again, as commands do that
// only look.
func visit(string) error {
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		for range 8 {
			s, err := store.OpenReadOnly(context.Background(), in.Text(), store.Options{})
			if err != nil {
				return err
			}
			if err := s.Close(); err != nil {
				return err
			}
		}
		fmt.Println("visited")
	}
	return nil
}

// probe says whether another process has a lock on the bytes of a file that
// SQLite's readers share.
func probe(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	const shared, bytes = 0x40000002, 510 // https://www.sqlite.org/src/file/src/os.h
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Start: shared, Len: bytes}
	if err := syscall.FcntlFlock(file.Fd(), syscall.F_GETLK, &lock); err != nil {
		return err
	}
	if lock.Type == syscall.F_UNLCK {
		fmt.Println("free")
	} else {
		fmt.Println("locked")
	}
	return nil
}

// hold blocks all writers until its input ends.
func hold(path string) error {
	release, err := lockOut(path)
	if err != nil {
		return err
	}
	fmt.Println("held")
	bufio.NewScanner(os.Stdin).Scan()
	return release()
}

// stranger is another process, and what it reads.
type stranger struct {
	*exec.Cmd
	in io.Writer
}

// play starts a process that acts on a store.
func play(t *testing.T, act, path string) (stranger, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0], path)
	cmd.Env = append(os.Environ(), actor+"="+act)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return stranger{cmd, in}, bufio.NewScanner(out)
}

// hear returns what a process prints, up to n lines.
func hear(lines *bufio.Scanner, n int) (heard []string) {
	for len(heard) < n && lines.Scan() {
		heard = append(heard, lines.Text())
	}
	return heard
}

func TestAKilledWriterLosesNothingItCommitted(t *testing.T) {
	path := storePath(t)
	told := 0
	for range 5 {
		cmd, lines := play(t, "write", path)
		heard := hear(lines, 40)
		cmd.Process.Kill()
		heard = append(heard, hear(lines, 1<<20)...)
		cmd.Wait()
		if len(heard) < 40 || strings.HasPrefix(heard[0], "error") {
			t.Fatalf("it says %q", heard)
		}
		// The one that was on its way may be there too.
		told += len(heard)
		s := open(t, path, store.Options{Warn: func(s string) { t.Error(s) }})
		all := map[string]bool{}
		for _, id := range found(t, s, store.PromptQuery{}) {
			all[id] = true
		}
		for _, id := range heard {
			if !all[id] {
				t.Errorf("%s is lost", id)
			}
		}
		if over := len(all) - told; over < 0 || over > 5 {
			t.Errorf("%d are there, %d were told", len(all), told)
		}
		s.Close()
	}
}

func TestTwoWritersLoseNothingAndReadersReadMeanwhile(t *testing.T) {
	path := storePath(t)
	var writers []stranger
	var outs []*bufio.Scanner
	for range 3 {
		cmd, lines := play(t, "write", path)
		writers, outs = append(writers, cmd), append(outs, lines)
	}
	var heard []string
	for _, lines := range outs {
		heard = append(heard, hear(lines, 150)...)
	}
	s := reader(t, path)
	if page, err := store.PromptsIn(s).Find(t.Context(), store.PromptQuery{Limit: 1}); err != nil || page.Total < 450 {
		t.Errorf("while they write: %d, %v", page.Total, err)
	}
	for i, cmd := range writers {
		cmd.Process.Kill()
		heard = append(heard, hear(outs[i], 1<<20)...)
		cmd.Wait()
	}
	all := map[string]bool{}
	for _, id := range found(t, s, store.PromptQuery{}) {
		all[id] = true
	}
	for _, id := range heard {
		if !all[id] {
			t.Errorf("%s is lost", id)
		}
	}
}

func TestAStoreThatIsOpenedTwiceKeepsItsLocks(t *testing.T) {
	path := storePath(t)
	save(t, open(t, path, store.Options{}), aPrompt("a", "x"))
	open(t, path, store.Options{}).Close()
	_, lines := play(t, "probe", path)
	if heard := hear(lines, 1); len(heard) != 1 || heard[0] != "locked" {
		t.Errorf("after the second is closed, another process finds it %q", heard)
	}
}

func TestANewStoreIsOpenedByManyAtOnce(t *testing.T) {
	dir := t.TempDir()
	cmd, lines := play(t, "visit", dir)
	for i := range 100 {
		path := filepath.Join(dir, fmt.Sprint(i), "cupola.db")
		fmt.Fprintln(cmd.in, path)
		var both sync.WaitGroup
		both.Go(func() {
			for range 4 {
				if s, err := store.Open(t.Context(), path, store.Options{}); err != nil {
					t.Errorf("file %d: %v", i, err)
				} else if err := s.Close(); err != nil {
					t.Errorf("file %d: %v", i, err)
				}
			}
		})
		s := open(t, path, store.Options{})
		for revision := range core.Revision(2) {
			if err := store.EventsIn(s).Save(t.Context(), "/s",
				[]core.Event{{Revision: revision + 1, At: noon, Type: core.KeeperChanged}}); err != nil {
				t.Fatalf("file %d: %v", i, err)
			}
		}
		both.Wait()
		if heard := hear(lines, 1); len(heard) != 1 || heard[0] != "visited" {
			t.Fatalf("file %d: another process says %q", i, heard)
		}
		if got, err := store.EventsIn(reader(t, path)).Find(t.Context(), store.EventQuery{Server: "/s"}); err != nil ||
			len(got) != 2 {
			t.Fatalf("file %d: it holds %+v, %v", i, got, err)
		}
		s.Close()
	}
}

func TestAStoreThatAnotherProcessHoldsIsLocked(t *testing.T) {
	path := storePath(t)
	s := open(t, path, store.Options{Busy: 50 * time.Millisecond})
	save(t, s, aPrompt("a", "x"))
	cmd, lines := play(t, "hold", path)
	in := cmd.Process
	if heard := hear(lines, 1); len(heard) != 1 || heard[0] != "held" {
		t.Fatalf("it says %q", heard)
	}
	began := time.Now()
	failsWith(t, store.PromptsIn(s).Save(t.Context(), aPrompt("b", "x")), core.StoreLocked)
	if took := time.Since(began); took < 40*time.Millisecond {
		t.Errorf("it waited %v", took)
	}
	if got := found(t, reader(t, path), store.PromptQuery{}); len(got) != 1 {
		t.Errorf("reading meanwhile finds %q", got)
	}
	in.Kill()
	cmd.Wait()
	save(t, s, aPrompt("b", "x"))
}

func TestAFullDiskIsAnErrorThatLosesNothing(t *testing.T) {
	_, lines := play(t, "fill", storePath(t))
	if heard := hear(lines, 1); len(heard) != 1 || heard[0] != "full" {
		t.Errorf("files that must not grow: %q", heard)
	}
	disk := filepath.Join(t.TempDir(), "disk")
	if err := os.Mkdir(disk, 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk).CombinedOutput(); err != nil {
		t.Skipf("no small disk can be made here: %v %s", err, out)
	}
	defer func() {
		if out, err := exec.Command("umount", "-l", disk).CombinedOutput(); err != nil {
			t.Errorf("%v %s", err, out)
		}
	}()
	if err := fillUp(t.Context(), filepath.Join(disk, "cupola.db")); err != nil {
		t.Error(err)
	}
}
