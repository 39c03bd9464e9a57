package verbs

import (
	"bytes"
	"io"
	"slices"
	"sync"
	"testing"
	"time"

	"cupola/core/verb/catalog"

	"cupola/core"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/core/verb/verbtest"
	"cupola/robot"
)

// allVerbs is the catalog of these tests: its verbs are looked at once.
var allVerbs = sync.OnceValue(catalog.All)

// shapes are a verb of each shape of answer: a list with others beside it,
// scalars, rows of lines, a page of text, and what a plan would do.
var shapes = []string{"status", "version", "tail", "markdown", "attention"}

// answer is the answer of a verb's example on a fleet that does not change.
type answer struct {
	example string
	reply   *registry.Reply
	err     error
	// table is the tables that people read; empty for an answer without any.
	table string
	// raw is the document that programs read, again one of the same state, and texts those in all formats that are
	// asked for, without what is the machine's.
	raw, again string
	texts      map[string]string
}

// minimal is the key of the text in markdown with the fewest columns.
const minimal = "minimal"

var (
	answers   = map[string]*answersOnce{}
	answersMu sync.Mutex
)

type answersOnce struct {
	once sync.Once
	all  []*answer
}

// answersOf runs each example of a verb that needs no live fleet, once for all tests.
func answersOf(t *testing.T, v *registry.Verb) []*answer {
	t.Helper()
	answersMu.Lock()
	of := answers[v.Name]
	if of == nil {
		of = &answersOnce{}
		answers[v.Name] = of
	}
	answersMu.Unlock()
	of.once.Do(func() {
		stage := stages(t, v)
		for i, example := range v.Examples() {
			if !needsLiveFleet(v, example) {
				of.all = append(of.all, answerTo(t, v, stage, example, i == 0))
			}
		}
	})
	return of.all
}

// stages returns environments where the examples of a verb run: always the same one for what changes nothing.
func stages(t *testing.T, v *registry.Verb) func(in any) *verb.Env {
	t.Helper()
	stage := func() *verb.Env { return stagedFor(t, &verbtest.Server{}, v) }
	same := sync.OnceValue(stage)
	return func(in any) *verb.Env {
		if v.Effect == registry.Reads || registry.OnlyShows(v, in) {
			return same()
		}
		return stage()
	}
}

func answerTo(t *testing.T, v *registry.Verb, stage func(any) *verb.Env, example string, first bool) *answer {
	t.Helper()
	a := &answer{example: example, texts: map[string]string{}}
	in := exampleOf(t, v, example)
	a.reply, a.err = v.Call(t.Context(), stage(in), in, func(any) error { return nil })
	if a.err == nil && a.reply.Report() != nil {
		a.table = machineless(described(a.reply.Report()))
	}
	write := func(format string, fields ...string) string {
		var out bytes.Buffer
		face := robot.Face{
			Env: stage(in), Globals: registry.Globals{Format: format, Fields: fields}, Stdout: &out, Stderr: io.Discard,
			Now: func() time.Time { return verbtest.Noon }, Started: verbtest.Noon,
			Revision: func() core.Revision { return 0 },
		}
		face.Run(t.Context(), v, in)
		return out.String()
	}
	a.raw = write("json")
	a.again, a.texts["json"] = a.raw, machineless(a.raw)
	if v.Effect == registry.Reads {
		a.again = write("json")
	}
	var formats []string
	switch {
	case slices.Contains(shapes, v.Name):
		formats = []string{"toon", "markdown", "terse", "ndjson"}
	case first && v.Effect == registry.Reads && !v.Streams:
		formats = []string{"toon", "markdown", "terse"}
	}
	for _, format := range formats {
		a.texts[format] = machineless(write(format))
	}
	if first && v.Effect == registry.Reads && v.List != "" {
		a.texts[minimal] = machineless(write("markdown", "minimal"))
	}
	return a
}
