package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"cupola/core"
)

// takeUp is a shell command that writes the process of its shell into the record
// of a run, as who runs it does.
func takeUp(directory *Directory, id string) string {
	record := filepath.Join(directory.Folder(id), "run.json")
	return fmt.Sprintf(`sed "s/\"pid\":0/\"pid\":$$/" %[1]s >%[1]s.sed && mv %[1]s.sed %[1]s`, "'"+record+"'")
}

func TestAProgramThatTookUpItsRunOutlivesTheCaller(t *testing.T) {
	r, id := start(t, &fakeVerbs{}, step("a", "look", "x"))
	dir := t.TempDir()
	if log := r.Directory.Log(id); log != "" {
		t.Errorf("before it ran anywhere its log is %q", log)
	}
	run, err := r.Directory.Detach(t.Context(), id, dir, "/bin/sh", "-c",
		"pwd; "+takeUp(r.Directory, id)+"; exec sleep 100000")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Kill(-run.PID, syscall.SIGKILL); err != nil {
			t.Errorf("it does not lead a session: %v", err)
		}
	}()
	if said, err := os.ReadFile(r.Directory.Log(id)); err != nil || strings.TrimSpace(string(said)) != dir {
		t.Errorf("its log holds %q, %v", said, err)
	}
}

func TestAProgramThatEndsAtOnceHasRunAllTheSame(t *testing.T) {
	for range 5 {
		r, id := start(t, &fakeVerbs{}, step("a", "look", "x"))
		run, err := r.Directory.Detach(t.Context(), id, t.TempDir(), "/bin/sh", "-c", takeUp(r.Directory, id))
		if err != nil || run.PID == 0 {
			t.Fatalf("got %+v, %v", run, err)
		}
	}
}

func TestProgramStartedTooLateRunsNothing(t *testing.T) {
	r, id := start(t, &fakeVerbs{}, step("a", "look", "x"))
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	started := filepath.Join(dir, "started")
	if err := syscall.Mkfifo(started, 0o600); err != nil {
		t.Fatal(err)
	}
	pid := make(chan string, 1)
	go func() {
		defer cancel()
		said, _ := os.ReadFile(started)
		pid <- strings.TrimSpace(string(said))
	}()
	_, err := r.Directory.Detach(ctx, id, dir, "/bin/sh", "-c", "echo $$ >started; exec sleep 100000")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	number, err := strconv.Atoi(<-pid)
	if err != nil {
		t.Fatal(err)
	}
	if syscall.Kill(number, syscall.SIGKILL) == nil {
		t.Error("it runs on")
	}
}

func TestAProgramThatNeverTookUpItsRunSaysWhy(t *testing.T) {
	for _, test := range []struct {
		why  string
		argv []string
		says string
	}{
		{
			"it ended",
			[]string{"/bin/sh", "-c", "echo reading; echo no such flag >&2; exit 3"},
			"did not begin: no such flag",
		},
		{"it is not there", []string{"/nowhere/program"}, "/nowhere/program"},
	} {
		r, id := start(t, &fakeVerbs{}, step("a", "look", "x"))
		_, err := r.Directory.Detach(t.Context(), id, t.TempDir(), test.argv...)
		if e := core.AsError(err); !e.HasCode(core.IOError) || !strings.Contains(e.Message, test.says) {
			t.Errorf("%s: got %v", test.why, err)
		}
	}
}

func TestARecordThatCannotBeReadStopsARunAndNoOther(t *testing.T) {
	r, id := start(t, &fakeVerbs{}, step("a", "look", "x"))
	record := filepath.Join(r.Directory.Folder(id), "run.json")
	good, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	for why, text := range map[string]string{
		"cut off": string(good[:len(good)/2]), "empty": "",
		"newer":           strings.Replace(string(good), `"version":1`, `"version":2`, 1),
		"without version": `{"id":"` + id + `"}`,
	} {
		if err := os.WriteFile(record, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Run(t.Context(), id); !core.AsError(err).HasCode(core.IOError) {
			t.Errorf("%s: it runs: %v", why, err)
		}
		if _, err := r.Directory.Cancel(t.Context(), id); !core.AsError(err).HasCode(core.IOError) {
			t.Errorf("%s: it is cancelled: %v", why, err)
		}
		if _, err := r.Directory.Find(id); !core.AsError(err).HasCode(core.IOError) {
			t.Errorf("%s: it is found: %v", why, err)
		}
	}
	if err := os.WriteFile(record, good, 0o600); err != nil {
		t.Fatal(err)
	}
	if run, err := r.Run(t.Context(), id); err != nil || run.State != Succeeded {
		t.Errorf("mended, it ends as %+v, %v", run, err)
	}
}

func TestARunInAFolderOfAnotherIsNotListed(t *testing.T) {
	r, id := start(t, &fakeVerbs{}, step("a", "look", "x"))
	if err := os.Rename(r.Directory.Folder(id), r.Directory.Folder("other")); err != nil {
		t.Fatal(err)
	}
	if all, err := r.Directory.All(); err != nil || len(all) != 0 {
		t.Errorf("got %+v, %v", all, err)
	}
}

func TestAPlaceThatCannotHoldRunsIsAnError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, filepath.Join(file, "below")} {
		directory := DirectoryIn(path, nil, 0)
		err := New(directory, parsed(t, step("a", "look", "x")), &Run{}, noon)
		if !core.AsError(err).HasCode(core.IOError) {
			t.Errorf("a run is made: %v", err)
		}
		if _, err := directory.All(); !core.AsError(err).HasCode(core.IOError) {
			t.Errorf("runs are listed: %v", err)
		}
		if _, _, err := directory.Take(t.Context(), "x"); !core.AsError(err).HasCode(core.IOError) {
			t.Errorf("a run is taken: %v", err)
		}
	}
}

func TestARunThatIsTakenUpAgainKeepsWhatMayNotBeRepeated(t *testing.T) {
	run := &Run{State: Failed, Steps: []StepRun{
		{Name: "a", State: Failed, Prompt: "p1", Error: "late"},
		{Name: "b", State: Skipped, Why: "a failed"},
		{Name: "c", State: Succeeded},
		{Name: "d", State: Running},
		{Name: "e", State: Failed, Attempts: 2, Error: "no"},
	}}
	run.again()
	if got := told(run); got != "failed: a interrupted b pending c done d interrupted e pending" {
		t.Errorf("got %s", got)
	}
	if a, e := run.Steps[0], run.Steps[4]; a.Prompt != "p1" || a.Error != "late" || e.Attempts != 2 || e.Error != "" ||
		run.Steps[1].Why != "" {
		t.Errorf("kept are %+v", run.Steps)
	}
}
