package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"cupola/core"
	"cupola/core/engine/enginetest"
	"cupola/robot"
	"cupola/robot/command/verb/verbtest"
	"cupola/robot/guide"
	"cupola/robot/registry"
)

// shapes are a verb of each shape of answer: a list with others beside it,
// scalars, rows of lines, a page of text, and what a plan would do.
var shapes = []string{"status", "version", "tail", "markdown", "attention"}

// TestAnswersAreTheSameAsEver runs every example on a fleet that does not change and
// compares all bytes with those on file; twice, for the same state must give the
// same bytes. What needs life is on file in cmd/cupola.
func TestAnswersAreTheSameAsEver(t *testing.T) {
	// A path with a link or a blank would be written in two ways.
	t.Setenv("TMPDIR", enginetest.ShortDir(t))
	for _, verb := range Catalog().Verbs {
		t.Run(verb.Name, func(t *testing.T) {
			formats := []string{"json"}
			if slices.Contains(shapes, verb.Name) {
				formats = []string{"json", "toon", "markdown", "terse", "ndjson"}
			}
			var all strings.Builder
			for _, example := range verb.Examples() {
				if needsLiveFleet(verb, example) {
					continue
				}
				for _, format := range formats {
					first, second := answered(t, verb, example, format), answered(t, verb, example, format)
					if first != second {
						t.Errorf("%s is not the same twice:\n%s%s", example, first, second)
					}
					if verb.Effect == registry.Reads && format == "json" && !hasNext(first) {
						t.Errorf("%s suggests nothing to do next: %s", example, first)
					}
					if noise := longNumber.FindString(first); noise != "" {
						t.Errorf("%s answers with %s", example, noise)
					}
					if slices.Contains(catalogued, verb.Name) {
						first = folded(t, verb, first)
					}
					fmt.Fprintf(&all, "$ %s --robot-format=%s\n%s\n", example, format, first)
				}
			}
			if all.Len() > 0 {
				golden.RequireEqual(t, all.String())
			}
		})
	}
}

// TestEveryAnswerCanBeWrittenInEveryFormat writes the answer to the first example of every verb that reads.
func TestEveryAnswerCanBeWrittenInEveryFormat(t *testing.T) {
	for _, verb := range Catalog().Verbs {
		example := verb.Examples()[0]
		if verb.Effect != registry.Reads || verb.Streams || needsLiveFleet(verb, example) {
			continue
		}
		for _, format := range []string{"toon", "markdown", "terse"} {
			got := answered(t, verb, example, format)
			if strings.TrimSpace(got) == "" || format == "terse" && strings.Count(got, "\n") != 1 {
				t.Errorf("%s as %s: %q", example, format, got)
			}
		}
	}
}

// hasNext reports whether an answer says what to do next; a failure does so in
// actions.
func hasNext(answer string) bool {
	return strings.Contains(answer, `"next_actions":[{`) || strings.Contains(answer, `"actions":["`)
}

// answered is the answer to an example, without what is the machine's.
func answered(t *testing.T, verb *registry.Verb, example, format string, fields ...string) string {
	t.Helper()
	env := stagedFor(t, &verbtest.Server{}, verb)
	var out bytes.Buffer
	face := robot.Face{
		Env: env, Globals: registry.Globals{Format: format, Fields: fields}, Stdout: &out, Stderr: io.Discard,
		Now: func() time.Time { return verbtest.Noon }, Started: verbtest.Noon,
		Revision: func() core.Revision { return 0 },
	}
	face.Run(t.Context(), verb, exampleOf(t, verb, example), nil)
	return machineless(out.String())
}

// longNumber is a number with more digits than a reader needs.
var longNumber = regexp.MustCompile(`[:\[,] ?-?\d+\.\d{5,}`)

// What another machine or moment gives otherwise.
var (
	clock = regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
	id    = regexp.MustCompile(`\b[0-9a-z]{9}-[0-9a-z]{10}\b`)
	uuid  = regexp.MustCompile(`\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`)
	owner = regexp.MustCompile(`("owner_pid":)\d+`)
	dated = regexp.MustCompile(`20\d{6}-\d{6}(-[0-9a-z]{4}\b)?`)
	built = regexp.MustCompile(`\b(go|os|arch)("?[:=] ?"?)(` + regexp.QuoteMeta(runtime.Version()) + `|` +
		runtime.GOOS + `|` + runtime.GOARCH + `)\b`)
	room   = regexp.MustCompile(`\d+ % free, \d+ MB`)
	packed = regexp.MustCompile(`\b(apt|brew) install (git|tmux)\b`)
)

// machineless is an answer without what is the machine's: folders are numbered
// as they come, and times are kept only where they are those of the fleet.
func machineless(text string) string {
	tempDir := regexp.MustCompile(regexp.QuoteMeta(strings.TrimSuffix(os.TempDir(), "/")) + `/[^"\s,]*?/\d{3}`)
	var dirs []string
	text = tempDir.ReplaceAllStringFunc(text, func(dir string) string {
		if !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
		return fmt.Sprintf("/dir%d", 1+slices.Index(dirs, dir))
	})
	text = clock.ReplaceAllStringFunc(text, func(at string) string {
		if strings.HasPrefix(at, verbtest.Noon.Format(time.DateOnly)) {
			return at
		}
		return "TIME"
	})
	for _, of := range []struct {
		found *regexp.Regexp
		name  string
	}{
		{uuid, "UUID"},
		{owner, "${1}0"},
		{dated, "STAMP"},
		{id, "ID"},
		{built, "$1${2}BUILD"},
		{room, "ROOM"},
		{promptSize, "${1}0"},
		{packed, "PACKAGER install $2"},
	} {
		text = of.found.ReplaceAllString(text, of.name)
	}
	return text
}

// promptSize is the size of a prompt that names a directory.
var promptSize = regexp.MustCompile(`("prompt_bytes":|Prompt \()\d+`)

// catalogued are verbs whose answers list all verbs.
var catalogued = []string{"docs", "robot-docs", "schema", "capabilities"}

// sized is how large a section of the docs is, which every verb changes.
var sized = regexp.MustCompile(`"bytes":\d+`)

// folded is an answer about the catalog without what other files hold, and a value a
// line, so that a verb that changes is a line that changes.
func folded(t *testing.T, verb *registry.Verb, answer string) string {
	t.Helper()
	held := map[string]string{}
	types, err := guide.SchemaTypes()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range types {
		for _, schema := range []func(string) (json.RawMessage, error){guide.Schema, guide.OwnSchema} {
			var text bytes.Buffer
			raw, err := schema(name)
			if err := errors.Join(err, json.Compact(&text, raw)); err != nil {
				t.Fatal(err)
			}
			held[text.String()] = "the schema of " + name
		}
	}
	if verb.Name == "robot-docs" {
		var whole struct{ Commands json.RawMessage }
		if err := json.Unmarshal([]byte(answered(t, Catalog().Find("capabilities"), "cupola capabilities --verbose",
			"json")),
			&whole); err != nil {
			t.Fatal(err)
		}
		held[string(whole.Commands)] = "those of capabilities --verbose"
	}
	// What holds others comes first.
	for _, text := range slices.SortedFunc(maps.Keys(held), func(a, b string) int { return len(b) - len(a) }) {
		answer = strings.ReplaceAll(answer, ":"+text, `:"`+held[text]+`"`)
	}
	answer = sized.ReplaceAllString(answer, `"bytes":"SIZE"`)
	var lines bytes.Buffer
	if err := json.Indent(&lines, []byte(answer), "", " "); err != nil {
		t.Fatal(err)
	}
	return lines.String()
}

func TestBriefFormatsShrinkWithFields(t *testing.T) {
	seen := 0
	for _, verb := range Catalog().Verbs {
		example := verb.Examples()[0]
		if verb.List == "" || verb.Effect != registry.Reads || needsLiveFleet(verb, example) {
			continue
		}
		terse := answered(t, verb, example, "terse")
		own := strings.HasPrefix(terse, "cupola/1 sessions=")
		many := regexp.MustCompile(` ` + verb.List + `=[1-9]`).MatchString(terse)
		if many && !own {
			seen++
			if !strings.Contains(terse, " "+verb.List+".1=") {
				t.Errorf("%s has rows and shows none: %s", example, terse)
			}
		}
		if strings.Count(terse, "\n") != 1 || strings.Contains(terse, " filters.") {
			t.Errorf("%s: %s", example, terse)
		}
		whole, chosen := answered(t, verb, example, "markdown"), answered(t, verb, example, "markdown", "minimal")
		if len(chosen) > len(whole) && !strings.HasPrefix(whole, "## ") {
			t.Errorf("%s is larger with --fields=minimal:\n%s%s", example, chosen, whole)
		}
	}
	if seen < 10 {
		t.Errorf("only %d verbs have rows", seen)
	}
}
