package main

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cupola/core/engine/enginetest"
	"cupola/core/verb/catalog"
	"cupola/core/verb/registry"
)

// cells is how many machines random command lines are run on at once.
const cells = 4

// TestManyRandomCommandLinesDoNoHarm holds random command lines to what
// FuzzCommandLine does, and to leave files nowhere but in Cupola's own folders or
// where an argument says.
func TestManyRandomCommandLinesDoNoHarm(t *testing.T) { randomLines(t, 160) }

func TestDeepEvenMoreRandomCommandLinesDoNoHarm(t *testing.T) {
	enginetest.Deep(t)
	randomLines(t, 6400)
}

// randomLines runs a number of random command lines.
func randomLines(t *testing.T, count int) {
	t.Helper()
	for cell := range cells {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			c := newCell(t, uint64(cell))
			for range count / cells {
				c.runOne(t)
			}
			c.mustLeaveNoFiles(t)
		})
	}
}

// cell is a machine on which random command lines are run.
type cell struct {
	*machine
	words  dictionary
	source *rand.Rand
	// examples are the examples of all verbs, in words.
	examples [][]string
	runs     int
	// given are all arguments until now.
	given map[string]bool
}

func newCell(t *testing.T, seed uint64) *cell {
	t.Helper()
	c := &cell{
		machine: newPaddedCell(t), words: newDictionary(catalog.All()),
		source: rand.New(rand.NewPCG(seed, 7)), given: map[string]bool{},
	}
	for _, verb := range catalog.All().Verbs {
		for _, example := range verb.Examples() {
			c.examples = append(c.examples, words(t, strings.ReplaceAll(example, "--wait-ready", ""))[1:])
		}
	}
	c.dir = filepath.Join(c.tmux.Dir, "work")
	if err := os.Mkdir(c.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return c
}

// runOne runs a command line and holds it to its promises.
func (c *cell) runOne(t *testing.T) {
	t.Helper()
	args := c.words.limited(c.randomLine())
	for _, arg := range args {
		c.given[arg] = true
	}
	c.runs++
	if c.runs%40 == 0 {
		c.endServers()
	}
	mustBehave(t, args, c.call(args...))
}

// randomLine is a random command line, or an example that a few random words have
// changed.
func (c *cell) randomLine() []string {
	data := make([]byte, 3+c.source.IntN(24))
	for i := range data {
		data[i] = byte(c.source.Uint32())
	}
	if c.source.IntN(5) > 0 {
		return c.words.commandLine(data)
	}
	args := slices.Clone(c.examples[c.source.IntN(len(c.examples))])
	for range c.source.IntN(3) {
		at := c.source.IntN(len(args) + 1)
		if more := c.words.commandLine(data[:3]); c.source.IntN(3) > 0 {
			args = slices.Insert(args, at, more...)
		} else if at < len(args) {
			args = slices.Delete(args, at, at+1)
		}
	}
	return args
}

// limited gives what could wait for ever an end, and takes out the programs that stay up.
func (d dictionary) limited(args []string) []string {
	for i, arg := range args {
		if slices.Contains([]string{"demo", "scripted", "hook", "serve"}, strings.TrimPrefix(arg, "--robot-")) {
			args[i] = "demo.1"
		}
	}
	waits := slices.ContainsFunc(args, func(arg string) bool {
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "--robot-"), "=")
		return slices.Contains(d.waiting, name)
	})
	if !waits {
		return args
	}
	const end = "--timeout=20ms"
	at := slices.Index(args, "--")
	if at < 0 {
		at = len(args)
	}
	return slices.Insert(slices.Insert(args, at, end), 0, end)
}

// waitingVerbs take a --timeout.
func waitingVerbs(catalog *registry.Catalog) []string {
	var names []string
	for _, verb := range catalog.Verbs {
		if verb.Field("timeout") != nil {
			names = append(names, verb.Names()...)
		}
	}
	return names
}

// mustLeaveNoFiles fails if there are unexpected files.
func (c *cell) mustLeaveNoFiles(t *testing.T) {
	t.Helper()
	own := []string{
		"home/.config/cupola", "home/.local/share/cupola", "home/.local/state/cupola", "home/.cache/cupola",
		"run/cupola", "cell", "bin", "tmux-",
	}
	seen := 0
	err := filepath.WalkDir(c.tmux.Dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		seen++
		name, err := filepath.Rel(c.tmux.Dir, path)
		if err != nil {
			return err
		}
		if text, err := os.ReadFile(path); filepath.Base(name) == "cupola.log" &&
			(err != nil || strings.Contains(string(text), "panic")) {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
		for _, prefix := range own {
			if strings.HasPrefix(name, prefix) {
				return nil
			}
		}
		if !c.asked(name) {
			t.Errorf("an unexpected file: %s", name)
		}
		return nil
	})
	if err != nil || seen < 2 {
		t.Errorf("%d files, %v", seen, err)
	}
}

// asked reports whether an argument names a file, or a verb that writes there.
func (c *cell) asked(name string) bool {
	inWork, local := strings.CutPrefix(name, "work/")
	for arg := range c.given {
		_, value, _ := strings.Cut(arg, "=")
		first, _, _ := strings.Cut(inWork, "/")
		if local && (arg == first || value == first || value == inWork || arg == inWork) {
			return true
		}
	}
	switch {
	case inWork == ".cupola.toml":
		return c.given["--in-project"]
	case strings.HasPrefix(name, "home/."):
		return c.given["plugin-install"] || c.given["--robot-plugin-install"]
	}
	return false
}
