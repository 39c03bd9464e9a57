package commits_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/git/commits"
	"cupola/core/git/gittest"
)

// change is a commit: who made it, what it says, and the files that it writes; a
// file that begins with - is removed.
type change struct{ author, message, files string }

// repository makes a repository of commits, an hour apart.
func repository(t *testing.T, changes ...change) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	gittest.Run(t, root, nil, "init", "-q", ".")
	for i, c := range changes {
		for file := range strings.FieldsSeq(c.files) {
			if gone, is := strings.CutPrefix(file, "-"); is {
				if err := os.Remove(filepath.Join(root, gone)); err != nil {
					t.Fatal(err)
				}
				continue
			}
			if err := os.MkdirAll(filepath.Dir(filepath.Join(root, file)), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(root, file), []byte{byte('a' + i)}, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		gittest.Run(t, root, nil, "add", "-A")
		at := day.Add(time.Duration(i) * time.Hour).Format(time.RFC3339)
		gittest.Run(t, root, []string{
			"GIT_AUTHOR_NAME=" + c.author, "GIT_AUTHOR_DATE=" + at,
			"GIT_COMMITTER_DATE=" + at,
		}, "commit", "-q", "--allow-empty", "--allow-empty-message", "-m", c.message)
	}
	return root
}

var day = time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)

func TestCommitsAreReadWhole(t *testing.T) {
	root := repository(t,
		change{"Ada", "first\n\nbody of it", "a.go d/ä.go"}, change{"Bob", "", "a.go"}, change{"Ada", "nothing", ""},
		change{"Ada", "gone", "-a.go b.go"},
	)
	log, err := commits.Read(t.Context(), filepath.Join(root, "d"), commits.Request{})
	if err != nil || log.Root != root || !log.Complete || len(log.Tracked) != 2 || !log.Tracked["d/ä.go"] {
		t.Fatalf("got %+v, %v", log, err)
	}
	var got []string
	for _, c := range log.Commits {
		got = append(got, c.Author+"|"+c.Message+"|"+strings.Join(c.Paths(), " ")+"|"+c.At.Format("15:04"))
	}
	want := []string{
		"Ada|gone|a.go b.go|03:00", "Ada|nothing||02:00", "Bob||a.go|01:00",
		"Ada|first\n\nbody of it|a.go d/ä.go|00:00",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if log.Path(filepath.Join(root, "d"), "../a.go") != "a.go" ||
		log.Path("/", filepath.Join(root, "d", "ä.go")) != "d/ä.go" {
		t.Errorf("paths are %s and %s", log.Path(filepath.Join(root, "d"), "../a.go"),
			log.Path("/", filepath.Join(root, "d", "ä.go")))
	}
}

func TestOldAndManyCommitsAreLeftOut(t *testing.T) {
	root := repository(t, change{"Ada", "1", "a"}, change{"Ada", "2", "b"}, change{"Ada", "3", "c"})
	for _, test := range []struct {
		request  commits.Request
		want     int
		complete bool
	}{
		{commits.Request{Since: day.Add(30 * time.Minute)}, 2, true},
		{commits.Request{Most: 2}, 2, false},
		{commits.Request{Most: 3}, 3, true},
	} {
		if log, err := commits.Read(t.Context(), root, test.request); err != nil || len(log.Commits) != test.want ||
			log.Complete != test.complete {
			t.Errorf("%+v: got %+v, %v", test.request, log, err)
		}
	}
}

func TestARepositoryWithoutCommitsIsEmpty(t *testing.T) {
	log, err := commits.Read(t.Context(), repository(t), commits.Request{})
	if err != nil || len(log.Commits) != 0 || !log.Complete || len(log.Hotspots()) != 0 {
		t.Errorf("got %+v, %v", log, err)
	}
	if _, err := commits.Read(t.Context(), t.TempDir(), commits.Request{}); core.AsError(err) == nil ||
		core.AsError(err).Code != core.ProjectNotFound {
		t.Errorf("got %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := commits.Read(t.Context(), t.TempDir(), commits.Request{}); core.AsError(err) == nil ||
		core.AsError(err).Code != core.ToolNotFound {
		t.Errorf("got %v", err)
	}
}
