package verbs

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/verb/registry"
)

// twoTypes are the names that mean several things, with the reason.
var twoTypes = map[string]string{
	"alerts":     "rows, but how many of each severity beside a status, as status has always answered",
	"error":      "the message of a failure, but how many agents or alerts where counts go by state or severity",
	"working":    "whether, but how many where counts go by state",
	"idle":       "whether, but how many where counts go by state",
	"ready":      "whether, but how many where counts go by state",
	"gone":       "whether, but how many where counts go by health",
	"done":       "whether, but how many where counts go by outcome",
	"change":     "what was done to a file, but how far an agent's change is",
	"remaining":  "an amount, but the tasks that an agent has not done",
	"failed":     "whether, but how many where counts go by outcome",
	"changed":    "whether, but how many files of a tree",
	"planned":    "verbs that are to come, but how many deliveries are planned",
	"answers":    "rows, but how many in totals",
	"changes":    "rows, but how many in totals",
	"commits":    "rows, but how many in totals, or of a file",
	"deliveries": "rows, but how many in totals",
	"files":      "rows, but how many in totals",
	"prompts":    "rows, but how many in totals",
	"skipped":    "rows, but how many where counts go by outcome",
	"states":     "rows, but how many in totals",
	"line":       "the number of one, but what a terse answer is",
	"story":      "the id of one, but all of it where it is asked for",
	"valid":      "what may be set, but whether a change can be worked on",
	"steps":      "rows, but how many in the summary of a run",
}

// kindOf returns the type of a field, as readers of JSON distinguish it.
func kindOf(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[json.RawMessage]():
		return "any"
	case reflect.TypeFor[time.Time]():
		return "text"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return kindOf(t.Elem())
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "truth"
	case reflect.Slice, reflect.Array:
		if of := kindOf(t.Elem()); of != "object" {
			return "list"
		}
		return "rows"
	case reflect.Struct, reflect.Map:
		return "object"
	case reflect.Interface:
		return "any"
	}
	return "number"
}

// declared calls found with each field that answers of a type have, and the struct that declares it.
func declared(t reflect.Type, seen map[reflect.Type]bool,
	found func(in reflect.Type, name string, field reflect.StructField),
) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		declared(t.Elem(), seen, found)
		return
	case reflect.Struct:
	default:
		return
	}
	if seen[t] {
		return
	}
	seen[t] = true
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" || name == "filters" || name == "-" || !field.IsExported() {
			continue // filters have the types of the flags
		}
		in := t
		if parts := field.Index; len(parts) > 1 {
			in = t.FieldByIndex(parts[:len(parts)-1]).Type
		}
		found(in, name, field)
		declared(field.Type, seen, found)
	}
}

// ownVerbs are all verbs but those of bridges, whose fields have the words of their tools.
func ownVerbs(t *testing.T) []*registry.Verb {
	t.Helper()
	own := slices.DeleteFunc(slices.Clone(allVerbs().Verbs),
		func(v *registry.Verb) bool { return v.Output().Name() == "" })
	if len(own) < 60 {
		t.Fatalf("only %d verbs", len(own))
	}
	return own
}

// answerTypes are the types of what a verb answers, as one document and line by line.
func answerTypes(v *registry.Verb) []reflect.Type {
	types := []reflect.Type{v.Output()}
	if v.Line() != nil {
		types = append(types, v.Line())
	}
	return types
}

func TestANameHasOneTypeInAllAnswers(t *testing.T) {
	kinds := map[string]map[string]string{}
	for _, verb := range ownVerbs(t) {
		for _, of := range answerTypes(verb) {
			declared(of, map[reflect.Type]bool{}, func(in reflect.Type, name string, field reflect.StructField) {
				kind := kindOf(field.Type)
				if kinds[name] == nil {
					kinds[name] = map[string]string{}
				}
				if kind != "any" && kinds[name][kind] == "" {
					kinds[name][kind] = fmt.Sprintf("%s (%s)", verb.Name, in.Name())
				}
			})
		}
	}
	for name, of := range kinds {
		if len(of) > 1 && twoTypes[name] == "" {
			t.Errorf("%s: %v", name, of)
		}
	}
	for name := range twoTypes {
		if len(kinds[name]) < 2 {
			t.Errorf("%s needs no exception: %v", name, kinds[name])
		}
	}
}

func TestAPaneIsTheSameRowInAllAnswers(t *testing.T) {
	shared := []string{"ordinal", "variant", "since", "notes", "model"}
	allowed := map[string]string{
		"PaneRow.notes": "it is the row", "PaneRow.since": "it is the row", "PaneRef.ordinal": "it is the row",
		"PaneRef.variant": "it is the row", "needRow.ordinal": "what is of no pane has none",
		"Result.model":       "of a relay",
		"Plan.model":         "of a relay",
		"Event.model":        "of a relay",
		"RelayRow.model":     "of a relay",
		"labelRow.model":     "of a relay",
		"Member.model":       "of a crew",
		"PlannedAgent.model": "of a crew",
		".model":             "of a run of stories",
		"BackendRow.model":   "of a relay",
		"explainOut.notes":   "those of a screen from a file",
		"screenSeen.notes":   "those of a screen from a file",
		"Signal.notes":       "those that one signal claims",
		"reach.since":        "of what happened",
		"changedSince.since": "of what happened",
		"budgetSetOut.since": "of a ceiling",
	}
	used := map[string]bool{}
	rows := 0
	for _, verb := range ownVerbs(t) {
		for _, of := range answerTypes(verb) {
			declared(of, map[reflect.Type]bool{}, func(in reflect.Type, name string, field reflect.StructField) {
				if in == reflect.TypeFor[core.PaneRef]() && name == "ordinal" {
					rows++
				}
				where := in.Name() + "." + name
				if used[where] = true; slices.Contains(shared, name) && allowed[where] == "" {
					t.Errorf("%s: %s declares %s itself", verb.Name, in.Name(), name)
				}
			})
		}
	}
	for where := range allowed {
		if !used[where] {
			t.Errorf("%s needs no exception", where)
		}
	}
	if rows < 20 {
		t.Errorf("only %d verbs answer with panes", rows)
	}
}

// empties may be empty: there it is a value.
var empties = []string{"value", "default", "before", "text", "mark", "is"}

func TestUnknownIsAbsentAndTimesAreAlike(t *testing.T) {
	files, err := filepath.Glob("testdata/TestAnswersAreTheSameAsEver/*.golden")
	if err != nil {
		t.Fatal(err)
	}
	live, err := filepath.Glob("../../cmd/cupola/testdata/TestEveryExampleRunsAndFitsItsSchema/*.golden")
	if err != nil || len(files) < 60 || len(live) < 15 {
		t.Fatalf("%d and %d answers, %v", len(files), len(live), err)
	}
	empty := regexp.MustCompile(`"(\w+)":(""|null|-1\b)`)
	odd := regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d(:\d\d\.\d+|[^:])[^",\s]*`)
	for _, file := range append(files, live...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if !strings.HasPrefix(line, "{") {
				continue
			}
			for _, found := range empty.FindAllStringSubmatch(line, -1) {
				if found[2] != `""` || !slices.Contains(empties, found[1]) {
					t.Errorf("%s: %s", filepath.Base(file), found[0])
				}
			}
			if found := odd.FindString(line); found != "" {
				t.Errorf("%s: %s", filepath.Base(file), found)
			}
		}
	}
}
