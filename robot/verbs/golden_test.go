package verbs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"cupola/core/verb/guide"
	"cupola/core/verb/registry"
	"cupola/core/verb/verbtest"
)

// TestAnswersAreTheSameAsEver compares all bytes of the answers to all examples with those on file; twice, for the same
// state must give the same bytes. What needs life is on file in cmd/cupola.
func TestAnswersAreTheSameAsEver(t *testing.T) {
	for _, verb := range allVerbs().Verbs {
		t.Run(verb.Name, func(t *testing.T) {
			t.Parallel()
			formats := []string{"json"}
			if slices.Contains(shapes, verb.Name) {
				formats = []string{"json", "toon", "markdown", "terse", "ndjson"}
			}
			var all strings.Builder
			for _, a := range answersOf(t, verb) {
				if a.raw != a.again {
					t.Errorf("%s is not the same twice:\n%s%s", a.example, a.raw, a.again)
				}
				for _, format := range formats {
					text := a.texts[format]
					if verb.Effect == registry.Reads && format == "json" && !hasNext(text) {
						t.Errorf("%s suggests nothing to do next: %s", a.example, text)
					}
					if strings.Contains(text, `"command":"`+a.example+`"`) {
						t.Errorf("%s suggests itself: %s", a.example, text)
					}
					if noise := longNumber.FindString(text); noise != "" {
						t.Errorf("%s answers with %s", a.example, noise)
					}
					if slices.Contains(catalogued, verb.Name) {
						text = folded(t, verb, text)
					}
					fmt.Fprintf(&all, "$ %s --robot-format=%s\n%s\n", a.example, format, text)
				}
			}
			if all.Len() > 0 {
				golden.RequireEqual(t, all.String())
			}
		})
	}
}

// TestEveryAnswerCanBeWrittenInEveryFormat looks at the answer to the first example of every verb that reads.
func TestEveryAnswerCanBeWrittenInEveryFormat(t *testing.T) {
	for _, verb := range allVerbs().Verbs {
		example := verb.Examples()[0]
		if verb.Effect != registry.Reads || verb.Streams || needsLiveFleet(verb, example) {
			continue
		}
		for _, format := range []string{"toon", "markdown", "terse"} {
			got := answersOf(t, verb)[0].texts[format]
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

// tempDir finds a folder that a test was given.
var tempDir = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(regexp.QuoteMeta(strings.TrimSuffix(os.TempDir(), "/")) + `/[^"\s,]*?/\d{3}`)
})

// machineless is an answer without the facts of the machine: folders are numbered as they come, and times are kept
// only where they belong to the fleet.
func machineless(text string) string {
	var dirs []string
	text = tempDir().ReplaceAllStringFunc(text, func(dir string) string {
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
		capabilities := allVerbs().Find("capabilities")
		all := answerTo(t, capabilities, stages(t, capabilities), "cupola capabilities --verbose", false)
		if err := json.Unmarshal([]byte(all.texts["json"]), &whole); err != nil {
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
	for _, verb := range allVerbs().Verbs {
		example := verb.Examples()[0]
		if verb.List == "" || verb.Effect != registry.Reads || needsLiveFleet(verb, example) {
			continue
		}
		texts := answersOf(t, verb)[0].texts
		terse := texts["terse"]
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
		whole, chosen := texts["markdown"], texts[minimal]
		if len(chosen) > len(whole) && !strings.HasPrefix(whole, "## ") {
			t.Errorf("%s is larger with --fields=minimal:\n%s%s", example, chosen, whole)
		}
	}
	if seen < 10 {
		t.Errorf("only %d verbs have rows", seen)
	}
}
