package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"cupola/core"
	"cupola/core/verb/catalog"
	"cupola/core/verb/guide"
)

// rehearsed turns commands of the guide into ones for scripted agents, which know other
// words and take less time.
var rehearsed = strings.NewReplacer(
	"--spawn-cc=", "--agents=scripted=", "'Deploy it'", "approve", "--timeout=10m", "--timeout=20s", "--timeout=60s",
	"--timeout=500ms",
)

func TestTheGuideCanBeFollowed(t *testing.T) {
	waiting := []string{
		"cupola spawn api --spawn-cc=2 --wait-ready", "cupola send api.2 'Deploy it'",
		"cupola wait api.2 --for=waiting --timeout=10m",
	}
	running := waiting[:1]
	doc, err := guide.Write(catalog.All(), "workflows")
	if err != nil {
		t.Fatal(err)
	}
	// What comes before a workflow, and the steps that end in another way than success with
	// --dry-run.
	stages := map[string][]string{
		"Daily loop": waiting, "Supervise": waiting, "Answer a dialog": waiting, "Recover": running, "First setup": nil,
		"Search": running, "Pre-flight": nil,
	}
	codes := map[string]core.Code{
		"cupola spawn api --spawn-cc=2 --wait-ready": core.AlreadyExists,
		"cupola wait api --timeout=10m":              core.NotReady,
		"cupola send api 'text' --dry-run":           core.SessionNotFound,
		"cupola kill api --dry-run":                  core.SessionNotFound,
		// It was approved just before.
		"cupola answer api.2 --deny --expect=approval --showing='make deploy'": core.NotReady,
	}
	for _, flow := range doc.Workflows {
		t.Run(flow.Name, func(t *testing.T) {
			t.Parallel()
			before, known := stages[flow.Name]
			if !known {
				t.Fatal("no example rehearses it")
			}
			m := newToolMachine(t)
			for _, line := range before {
				if got := m.run(m.command("sh", "-c", rehearsed.Replace(line))); got.status != 0 {
					t.Fatalf("%s: %+v", line, got)
				}
			}
			for _, step := range flow.Steps {
				got := m.run(m.command("sh", "-c", rehearsed.Replace(step.Command)))
				code := codes[step.Command]
				if got.status != 0 && code == "" || !strings.Contains(got.stdout, string(code)) {
					t.Errorf("%s: status %d, want %q\n%s", step.Command, got.status, code, got.stdout)
				}
			}
		})
	}
}

// TestTheGuidesAnswersAreReal runs the daily calls of the guide, and ways in which
// they fail, and compares what they answer with what the guide shows.
func TestTheGuidesAnswersAreReal(t *testing.T) {
	t.Parallel()
	doc, err := guide.Write(catalog.All(), "guide")
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string]guide.Call{}
	for _, call := range doc.Daily {
		calls[strings.Fields(call.Command)[1]] = call
	}
	m := newToolMachine(t)
	run := func(line string) answer { return m.run(m.command("sh", "-c", rehearsed.Replace(line))) }
	checked := 0
	for _, step := range []struct{ verb, line string }{
		// A line shows the call itself, or a way in which it fails; one without a verb only
		// prepares the next.
		{"spawn", ""},
		{"spawn", "cupola spawn api --spawn-cc=2 --wait-ready"},
		{"send", ""},
		{"reply", ""},
		{"reply", "cupola reply api.9"},
		{"", "cupola send api.2 approve --no-enter; cupola keys api.2 Enter"},
		{"wait", "cupola wait api --timeout=10m"},
		{"attention", ""},
		{"attention", "cupola attention apu"},
		{"send", "cupola send api.2 hello --wait"},
		{"answer", ""},
		{"answer", "cupola answer api.2 --approve --expect=approval"},
		{"wait", ""},
		{"", "cupola send api.1 'slow 30'"},
		{"status", ""},
		{"status", "cupola status --fields=agnet"},
		{"interrupt", ""},
		{"interrupt", "cupola interrupt"},
		{"kill", "cupola kill api"},
		{"kill", ""},
	} {
		if step.verb == "" {
			if got := run(step.line); got.status != 0 {
				t.Fatalf("%s: %+v", step.line, got)
			}
			continue
		}
		call, shown := calls[step.verb], calls[step.verb].Failure
		if step.line == "" {
			step.line, shown = call.Command, call.Answer
		}
		var want, have any
		got := run(step.line)
		if err := errors.Join(json.Unmarshal([]byte(rehearsed.Replace(string(shown))), &want),
			json.Unmarshal([]byte(got.stdout), &have)); err != nil {
			t.Fatalf("%s: %v\n%s", step.line, err, got.stdout)
		}
		if miss := missing(want, have, ""); miss != "" {
			t.Errorf("%s: the answer has no %s\n%s", step.line, miss, got.stdout)
		}
		checked++
	}
	if want := 2 * len(doc.Daily); checked != want {
		t.Errorf("%d answers were compared, not %d", checked, want)
	}
}

// missing names the first part of want that have lacks: a member of an object, an
// element of a list, or a value of another type or, for codes, flags, numbers and
// commands, another value.
func missing(want, have any, name string) string {
	switch want := want.(type) {
	case map[string]any:
		own, _ := have.(map[string]any)
		for key, value := range want {
			if miss := missing(value, own[key], key); miss != "" {
				return strings.TrimPrefix(name+"."+miss, ".")
			}
		}
	case []any:
		own, _ := have.([]any)
		for _, value := range want {
			if !slices.ContainsFunc(own, func(other any) bool { return missing(value, other, "") == "" }) {
				return fmt.Sprintf("%s with %v", name, value)
			}
		}
	case string:
		own, isText := have.(string)
		loose := slices.Contains([]string{"agent", "kind", "text", "source", "reason", "hint", "suggestions"}, name)
		if !isText || !loose && want != own {
			return fmt.Sprintf("%s %q", name, want)
		}
	default:
		// A scripted agent keeps no transcript, so its last message is read off its screen.
		if _, isBool := have.(bool); isBool && name == "complete" {
			return ""
		}
		if want != have {
			return fmt.Sprintf("%s %v", name, want)
		}
	}
	return ""
}

// TestTheGuideIsSmall holds what an agent reads first to a size that it can afford.
func TestTheGuideIsSmall(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	for _, self := range []struct {
		args  []string
		bytes int
	}{
		{[]string{"docs"}, 10_000},
		{[]string{"capabilities"}, 12_000},
	} {
		if got := m.cupola(self.args...); got.status != 0 || len(got.stdout) > self.bytes {
			t.Errorf("%q: %d bytes, more than %d", self.args, len(got.stdout), self.bytes)
		}
	}
}

// mostTokens is the most tokens that the answers of a whole task may have, at four bytes a token.
const mostTokens = 2500

// TestAWholeTaskIsCheapToRead starts agents, works with them and ends them, and sums up what that prints.
func TestAWholeTaskIsCheapToRead(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	bytes := 0
	for _, line := range []string{
		"spawn api --agents=scripted=3 --wait-ready",
		"send api.2 'approve make deploy'",
		"wait api.2 --timeout=1m", // it asks something: NOT_READY
		"answer api.2 --approve",
		"wait api.2 --timeout=1m",
		"reply api.2",
		"send api.3 'slow 60'",
		"interrupt api.3",
		"history",
		"kill api --yes",
	} {
		got := m.cupola(words(t, line)...)
		if got.status != 0 && !strings.Contains(got.stdout, string(core.NotReady)) {
			t.Errorf("cupola %s: %+v", line, got)
		}
		t.Logf("%5d bytes: cupola %s", len(got.stdout), line)
		bytes += len(got.stdout)
	}
	if tokens := bytes / 4; tokens > mostTokens {
		t.Errorf("%d tokens, more than %d", tokens, mostTokens)
	}
}

// TestHistoryCutsLongPrompts keeps one long prompt from filling the answer.
func TestHistoryCutsLongPrompts(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	const most = 400 // characters
	long := strings.Repeat("word ", most)
	m.cupola("spawn", "api", "--cmd=cat")
	if got := m.cupola("send", "api.1", long); got.status != 0 {
		t.Fatalf("send: %+v", got)
	}
	shown := func(args ...string) int {
		text := mustAsk(t, ".prompts[0].text", m.call(append([]string{"history"}, args...)...))
		return utf8.RuneCountInString(text)
	}
	if cut, whole := shown(), shown("--full"); cut > most+20 || cut < most/2 || whole < len(long)-1 {
		t.Errorf("%d characters, and %d with --full", cut, whole)
	}
}
