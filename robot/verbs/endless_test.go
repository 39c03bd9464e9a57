package verbs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"cupola/core/agent"
	"cupola/core/system/plainfile"
	"cupola/core/verb/verbtest"
)

// Each file that a verb reads is put in the way as a FIFO without a writer, and
// as a device without an end.
func TestNoVerbWaitsForAFileWithoutEnd(t *testing.T) {
	for _, test := range []struct {
		// path is below the project's folder, or below the folder of a kind where it
		// begins with that kind's name and a colon.
		path, call string
		// quiet is true where what cannot be read is as good as not there.
		quiet bool
	}{
		{path: ".cupola.toml", call: "cupola config-show", quiet: true}, // it warns
		{path: "config:config.toml", call: "cupola config-show", quiet: true},
		{path: ".cupola/palette.toml", call: "cupola palette"},
		{path: "config:palette.toml", call: "cupola palette"},
		{path: ".beads/issues.jsonl", call: "cupola bead-list"},
		{path: ".beads/redirect", call: "cupola bead-list", quiet: true},
		{path: ".beads/metadata.json", call: "cupola bead-list", quiet: true},
		{path: "prompt", call: "cupola send api --msg-file=DIR/prompt"},
		{path: "screen", call: "cupola explain --screen=DIR/screen --agent=stub"},
		{path: "steps.toml", call: "cupola pipeline-run DIR/steps.toml"},
		{path: "shape.toml", call: "cupola spawn new --spawn-preset=DIR/shape.toml"},
		{path: "config:presets/shape.toml", call: "cupola spawn new --spawn-preset=shape"},
		{path: "data:checkpoints/one/checkpoint.json", call: "cupola restore one"},
		{path: "data:checkpoints/one/checkpoint.json", call: "cupola checkpoint-list", quiet: true},
		{path: "state:pipelines/one/run.json", call: "cupola pipeline-list", quiet: true},
	} {
		for what, lay := range map[string]func(path string) error{
			"FIFO":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
			"device": func(path string) error { return os.Symlink("/dev/zero", path) },
		} {
			t.Run(test.call+" with "+test.path+" as a "+what, func(t *testing.T) {
				words := strings.Fields(test.call)
				verb := allVerbs().Find(words[1])
				env := stagedFor(t, &verbtest.Server{}, verb)
				folder, path, found := strings.Cut(test.path, ":")
				if !found {
					folder, path = "", test.path
				}
				path = filepath.Join(map[string]string{
					"": env.Dir, "config": env.Paths.Config,
					"data": env.Paths.Data, "state": env.Paths.State,
				}[folder], path)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.RemoveAll(path),
					lay(path)); err != nil {
					t.Fatal(err)
				}
				in := exampleOf(t, verb, strings.ReplaceAll(test.call, "DIR", env.Dir))
				ended := make(chan error, 1)
				go func() {
					_, err := verb.Call(t.Context(), env, in, func(any) error { return nil })
					ended <- err
				}()
				select {
				case err := <-ended:
					if test.quiet && err != nil ||
						!test.quiet && (err == nil || !strings.Contains(err.Error(), plainfile.ErrNotRegular.Error())) {
						t.Errorf("got %v", err)
					}
				case <-time.After(20 * time.Second):
					t.Error("it waits")
				}
			})
		}
	}
}

func TestFilesOfKindsAreRegular(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "x.toml"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := agent.Load(plainfile.Folder(dir)); !errors.Is(err, plainfile.ErrNotRegular) ||
		errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
