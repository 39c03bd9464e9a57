package verbs

import (
	"encoding/json"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"pgregory.net/rapid"

	"cupola/core"
	"cupola/core/system/shell"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/core/verb/render"
	"cupola/core/verb/verbtest"
)

// shellWords are the words of a command line.
func shellWords(t rapid.TB, line string) []string {
	t.Helper()
	words, err := shell.Words(line)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return words
}

// parse reads a verb's arguments as the program does.
func parse(t rapid.TB, verb *registry.Verb, args []string) any {
	t.Helper()
	flags := pflag.NewFlagSet(verb.Name, pflag.ContinueOnError)
	bound := verb.Bind(flags)
	var globals registry.Globals
	flags.BoolVar(&globals.Verbose, "verbose", false, "")
	if err := flags.Parse(args); err != nil {
		t.Fatalf("%s %q: %v", verb.Name, args, err)
	}
	if err := bound.Args(flags.Args()); err != nil {
		t.Fatalf("%s %q: %v", verb.Name, args, err)
	}
	if err := globals.Apply(bound); err != nil {
		t.Fatalf("%s %q: %v", verb.Name, args, err)
	}
	return bound.Input()
}

// exampleOf is the input that a printed command gives.
func exampleOf(t rapid.TB, verb *registry.Verb, line string) any {
	t.Helper()
	words := shellWords(t, line)
	if len(words) < 2 || words[0] != "cupola" || words[1] != verb.Name {
		t.Fatalf("%s is no command of %s", line, verb.Name)
	}
	return parse(t, verb, words[2:])
}

func TestPrintedCommandsGiveBackTheirInput(t *testing.T) {
	for _, verb := range allVerbs().Verbs {
		t.Run(verb.Name, func(t *testing.T) {
			t.Parallel()
			var printed []string
			rapid.Check(t, func(t *rapid.T) {
				in := parse(t, verb, arguments(t, verb))
				line := verb.Command(in)
				printed = append(printed, line)
				if back := exampleOf(t, verb, line); !reflect.DeepEqual(back, in) {
					t.Fatalf("%s\ngives %+v\nwant  %+v", line, back, in)
				}
			})
			mustReadAsAShell(t, printed)
		})
	}
}

// mustReadAsAShell fails if a shell makes other words of the lines than shellWords does.
func mustReadAsAShell(t *testing.T, lines []string) {
	t.Helper()
	var script strings.Builder
	var want []string
	for _, line := range lines {
		script.WriteString("printf '%s\\0' " + line + "\n")
		want = append(want, shellWords(t, line)...)
	}
	sh := exec.CommandContext(t.Context(), "sh")
	sh.Stdin = strings.NewReader(script.String())
	out, err := sh.Output()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("a shell reads %q, not %q, near %q", got[i], want[i], want[max(0, i-5):i])
		}
	}
	if len(got) != len(want) {
		t.Errorf("a shell reads %d words, not %d", len(got), len(want))
	}
}

// arguments draws any arguments that a verb takes.
func arguments(t *rapid.T, verb *registry.Verb) []string {
	var flags, args []string
	for _, field := range verb.Fields() {
		if field.Arg == 0 && rapid.Bool().Draw(t, "has "+field.Name) {
			most := 1 // two values of a flag that takes one are refused
			if field.Type == "list" {
				most = 2
			}
			for range rapid.IntRange(1, most).Draw(t, "times") {
				flags = append(flags, "--"+field.Name+"="+value(t, field))
			}
		}
	}
	for n := 1; ; n++ {
		at := slices.IndexFunc(verb.Fields(), func(f *registry.Field) bool { return f.Arg == n })
		if at < 0 {
			break
		}
		if field := verb.Fields()[at]; len(field.Enum) > 0 {
			args = append(args, value(t, field))
		} else {
			args = append(args, rapid.StringMatching(`[-a-z0-9 .'"$é%=,]{0,7}[a-z.,]`).Draw(t, field.Name))
		}
	}
	if slices.ContainsFunc(verb.Fields(), func(f *registry.Field) bool { return f.Arg == registry.Rest }) {
		args = append(args, rapid.SliceOfN(rapid.StringMatching(`[-a-z0-9 ']{0,7}[-a-z0-9]`), 0, 3).Draw(t, "rest")...)
	}
	return slices.Concat(flags, []string{"--"}, args)
}

// value draws a value that a flag accepts, as it is typed.
func value(t *rapid.T, field *registry.Field) string {
	if len(field.Enum) > 0 {
		return rapid.SampledFrom(field.Enum).Draw(t, field.Name)
	}
	switch field.Type {
	case "int":
		least, most := -5, 1000
		if field.Min != nil {
			least = *field.Min
		}
		if field.Max != nil {
			most = *field.Max
		}
		return rapid.Custom(func(t *rapid.T) string { return jsonOf(rapid.IntRange(least, most).Draw(t, "n")) }).Draw(t,
			field.Name)
	case "bool":
		return rapid.SampledFrom([]string{"true", "false"}).Draw(t, field.Name)
	case "duration":
		return rapid.SampledFrom([]string{"0s", "90s", "1h", "1h30m", "250ms", "5", "1d"}).Draw(t, field.Name)
	case "since":
		points := map[string][]string{
			"revision": {"rev:0", "rev:7"},
			"time":     {"0h", "30m", "7d", "today", "yesterday", "2026-01-31", "2026-01-31T10:20:30Z"},
		}
		points[""] = slices.Concat(points["revision"], points["time"])
		return rapid.SampledFrom(points[field.Since]).Draw(t, field.Name)
	}
	text := rapid.StringOf(rapid.SampledFrom([]rune("ab,1 '\"\\$`\n\té🙂-=%#!~;&|*")))
	return text.Filter(func(text string) bool { return !empty(field, text) }).Draw(t, field.Name)
}

func jsonOf(value any) string {
	var text strings.Builder
	if err := render.JSON(&text, value, false); err != nil {
		return err.Error()
	}
	return text.String()
}

func TestEveryVerbIsDeclaredWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, verb := range allVerbs().Verbs {
		for _, name := range verb.Names() {
			if seen[name] {
				t.Errorf("%s is declared twice", name)
			}
			seen[name] = true
		}
		if verb.Group == "" || verb.Short == "" || verb.Scope == "" || verb.Effect == "" || len(verb.Examples()) == 0 {
			t.Errorf("%s lacks a group, a description, a scope, an effect or an example", verb.Name)
		}
		if strings.HasSuffix(verb.Short, ".") || verb.Long != "" && !strings.HasSuffix(verb.Long, ".") {
			t.Errorf("%s: %q, %q", verb.Name, verb.Short, verb.Long)
		}
		for _, field := range verb.Fields() {
			if strings.HasSuffix(field.Help, ".") {
				t.Errorf("%s --%s: the help ends in a full stop", verb.Name, field.Name)
			}
		}
		for _, code := range verb.Errors {
			if _, ok := code.Row(); !ok {
				t.Errorf("%s: no code is named %s", verb.Name, code)
			}
		}
		if verb.List != verb.Rows().Name {
			t.Errorf("%s has no list %s", verb.Name, verb.List)
		}
		for _, list := range verb.Lists() {
			if err := list.Check(); err != nil && verb.List != "" {
				t.Errorf("%s: %v", verb.Name, err)
			}
		}
	}
}

func TestListerVerbsNeedNoArgument(t *testing.T) {
	seen := 0
	for _, verb := range allVerbs().Verbs {
		for _, field := range verb.Fields() {
			if field.Lister == "" {
				continue
			}
			seen++
			lister := allVerbs().Find(field.Lister)
			if lister == nil || lister.Effect != registry.Reads ||
				slices.ContainsFunc(lister.Fields(), func(f *registry.Field) bool { return f.Required }) {
				t.Errorf("%s: %s is listed by %s", verb.Name, field.Name, field.Lister)
			}
		}
	}
	if seen == 0 {
		t.Error("no argument is listed by a verb")
	}
}

func TestListsReportTheirPage(t *testing.T) {
	own := []string{"status", "snapshot", "history"}
	seen := 0
	for _, verb := range allVerbs().Verbs {
		if verb.Field("limit") == nil || verb.Field("offset") == nil {
			continue
		}
		seen++
		want := []string{"total_matches", "offset", "count", "has_more"}
		if slices.Contains(own, verb.Name) {
			want = []string{"pagination"}
		}
		var names []string
		for _, field := range reflect.VisibleFields(verb.Output()) {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			names = append(names, name)
		}
		for _, name := range want {
			if !slices.Contains(names, name) {
				t.Errorf("%s takes --limit and answers without %s: embed paged", verb.Name, name)
			}
		}
	}
	if seen < 6 {
		t.Errorf("only %d verbs have pages", seen)
	}
}

func TestEveryPageLinksNext(t *testing.T) {
	turned := 0
	for _, v := range allVerbs().Verbs {
		// The fake tools give every page the same answer.
		if v.Field("limit") == nil || v.Field("offset") == nil || v.Group == verb.GroupTools {
			continue
		}
		line, stage := v.Examples()[0]+" --limit=1", stagedFor(t, &verbtest.Server{}, v)
		for offset := 1; ; offset++ {
			reply, err := v.Call(t.Context(), stage, exampleOf(t, v, line), nil)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			var page struct {
				Offset     int  `json:"offset"`
				HasMore    bool `json:"has_more"`
				Pagination *struct {
					Offset  int  `json:"offset"`
					HasMore bool `json:"has_more"`
				} `json:"pagination"`
			}
			err = json.Unmarshal([]byte(jsonOf(reply.Value)), &page)
			if page.Pagination != nil {
				page.Offset, page.HasMore = page.Pagination.Offset, page.Pagination.HasMore
			}
			if err != nil || page.Offset != offset-1 {
				t.Fatalf("%s: %+v, %v", line, page, err)
			}
			at := slices.IndexFunc(reply.Next, func(a registry.Action) bool { return a.Action == "next-page" })
			if page.HasMore != (at >= 0) {
				t.Errorf("%s: more is %v and the next page at %d of %+v", line, page.HasMore, at, reply.Next)
			}
			if at < 0 || offset > 3 {
				break
			}
			line = reply.Next[at].Command
			turned++
		}
	}
	if turned < 8 {
		t.Errorf("only %d pages were turned", turned)
	}
}

// needsLiveFleet reports whether an example types or waits, which needs a terminal
// server that answers, or asks another host.
func needsLiveFleet(verb *registry.Verb, example string) bool {
	alive := []string{
		"send", "broadcast", "replay", "pipeline-run", "interrupt", "watch", "monitor", "wait", "ack",
		"spawn", "add", "answer", "restart-pane", "smart-restart", "hosts-check",
	}
	return slices.Contains(alive, verb.Name) && !strings.Contains(example, "--dry-run") ||
		strings.Contains(example, "--follow")
}

func TestExamplesRunOnFleetWithSessions(t *testing.T) {
	for _, verb := range allVerbs().Verbs {
		t.Run(verb.Name, func(t *testing.T) {
			t.Parallel()
			for _, a := range answersOf(t, verb) {
				if e := core.AsError(a.err); e != nil {
					// The machine may lack the agents' programs, web and api are there, the
					// agent in api asks nothing, and nothing was recorded.
					expected := []core.Code{
						core.ToolNotFound, core.AlreadyExists, core.Conflict, core.NotReady,
						core.NotFound,
					}
					if !slices.Contains(expected, e.Code) || !slices.Contains(verb.Errors, e.Code) {
						t.Errorf("%s: %v (%s)", a.example, a.err, e.Code)
					}
					continue
				}
				checkRows(t, verb, a.example, a.reply.Value)
				for _, next := range a.reply.Next {
					words := shellWords(t, next.Command)
					if found := allVerbs().Find(words[1]); found == nil {
						t.Errorf("%s: the next action %q is no verb", a.example, next.Command)
					} else {
						parse(t, found, words[2:])
					}
				}
			}
		})
	}
}

// checkRows sees that every row of an answer's list carries every column.
func checkRows(t *testing.T, verb *registry.Verb, example string, answer any) {
	t.Helper()
	list := verb.List
	if list == "" {
		return
	}
	var body map[string]json.RawMessage
	if err := json.Unmarshal([]byte(jsonOf(answer)), &body); err != nil {
		t.Fatalf("%s: %v", example, err)
	}
	var rows []map[string]json.RawMessage
	if err := json.Unmarshal(body[list], &rows); err != nil || rows == nil {
		t.Errorf("%s: %s is %s", example, list, body[list])
	}
	// What is not known is absent; nothing is null.
	for _, row := range rows {
		for column, text := range row {
			if string(text) == "null" || !slices.Contains(verb.Rows().Columns(), column) {
				t.Errorf("%s: a row of %s has %s: %s", example, list, column, text)
			}
		}
	}
}
