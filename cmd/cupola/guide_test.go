package main

import (
	"strings"
	"testing"

	"cupola/core"
	"cupola/robot/command"
	"cupola/robot/guide"
)

// rehearsed makes commands of the guide ones for scripted agents, which know
// other words and take less time.
var rehearsed = strings.NewReplacer(
	"--spawn-cc=", "--agents=scripted=", "'Deploy it'", "approve", "--timeout=10m", "--timeout=20s", "--timeout=60s", "--timeout=500ms",
)

func TestTheGuideCanBeFollowed(t *testing.T) {
	waiting := []string{"cupola spawn api --spawn-cc=2 --wait-ready", "cupola send api.2 'Deploy it'", "cupola wait api.2 --for=waiting --timeout=10m"}
	running := waiting[:1]
	doc, err := guide.Write(command.Catalog(), "guide")
	if err != nil {
		t.Fatal(err)
	}
	// What comes before a workflow, and the steps that end in another way than
	// success when it is only rehearsed.
	stages := map[string][]string{
		"Daily loop": nil, "Supervise": waiting, "Answer a dialog": waiting, "Recover": running, "First setup": nil, "Search": running, "Pre-flight": nil,
	}
	codes := map[string]core.Code{
		"cupola wait api --timeout=10m":    core.NotReady,
		"cupola send api 'text' --dry-run": core.SessionNotFound,
		"cupola kill api --dry-run":        core.SessionNotFound,
		// It was approved just before.
		"cupola answer api.2 --deny --expect=approval --showing='make deploy'": core.NotReady,
	}
	for _, flow := range doc.Workflows {
		t.Run(flow.Name, func(t *testing.T) {
			t.Parallel()
			before, known := stages[flow.Name]
			if !known {
				t.Fatal("nobody rehearses it")
			}
			m := newStage(t)
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
