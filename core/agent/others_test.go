package agent_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/agent"
)

// asked is the question on a screen with its choices: labels with the keys that choose them from the current selection.
// The zero value means that the screen asks nothing.
type asked struct {
	reason  core.Reason
	about   string
	options []string
}

// others are screens of programs that no rule was written for, by name, with the cursor at the mark ‸ and what they ask
// behind a row of dashes.
func others(t *testing.T) map[string]struct {
	screen *core.Screen
	want   asked
} {
	t.Helper()
	text, err := os.ReadFile("testdata/programs.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]struct {
		screen *core.Screen
		want   asked
	}{}
	for _, part := range strings.Split("\n"+string(text), "\n=== ")[1:] {
		name, part, _ := strings.Cut(part, "\n")
		shown, answer, _ := strings.Cut(part, "‸\n---\n")
		lines := strings.Split(shown, "\n")
		screen := &core.Screen{Lines: lines, Visible: len(lines), View: core.Viewport{Width: 120, Height: len(lines)}}
		screen.View.Cursor = core.Cursor{X: len([]rune(lines[len(lines)-1])), Y: len(lines) - 1, Visible: true}
		one := all[name]
		one.screen = screen
		for _, row := range strings.Split(strings.TrimSpace(answer), "\n") {
			if label, keys, option := strings.Cut(row, " ="); option && strings.HasPrefix(row, "  ") {
				one.want.options = append(one.want.options, strings.TrimSpace(label)+": "+strings.TrimSpace(keys))
			} else if reason, about, asks := strings.Cut(row, ": "); asks {
				one.want.reason, one.want.about = core.Reason(reason), about
			}
		}
		all[name] = one
	}
	return all
}

func TestDialogsOfOtherProgramsAreRead(t *testing.T) {
	kind, _ := load(t).Find("generic")
	all := others(t)
	if len(all) < 90 {
		t.Errorf("only %d screens", len(all))
	}
	for name, test := range all {
		if got := askedOn(kind, test.screen); fmt.Sprint(got) != fmt.Sprint(test.want) {
			t.Errorf("%s:\n got %q\nwant %q", name, got, test.want)
		}
	}
}

// askedOn returns the question on a screen, as a kind reads it.
func askedOn(kind *agent.Kind, screen *core.Screen) asked {
	d, open := kind.Read(screen).Dialog()
	if !open {
		return asked{}
	}
	got := asked{reason: d.Reason, about: d.About}
	for _, o := range d.Options {
		got.options = append(got.options, o.Label+": "+strings.Join(o.Keys, " "))
	}
	return got
}

// TestDialogsOfAgentsWithoutAFileAreRead reads screens of agents that have no file, taken when they asked for something
// and when they did not.
func TestDialogsOfAgentsWithoutAFileAreRead(t *testing.T) {
	kind, _ := load(t).Find("generic")
	approval := func(options ...string) asked { return asked{core.ReasonApproval, "sleep 8 && echo done", options} }
	want := map[string]asked{
		"amp-login": {
			core.ReasonLogin, "Would you like to log in to Amp? [(y)es, (n)o]:",
			[]string{"yes: y Enter", "no: n Enter"},
		},
		"auggie-login":   {core.ReasonLogin, "Press return to open your browser", []string{"open your browser: Enter"}},
		"cline-approval": approval("Approve: y", "Deny: n"),
		"cline-start": {
			core.ReasonDialog, "Press Enter to open, any other key to close", []string{"open: Enter", "close: Escape"},
		},
		"kilo-approval": approval("Allow once: Enter", "Allow always: Right Enter", "Reject: Right Right Enter"),
		"omp-approval":  approval("Approve: Enter", "Deny: Down Enter"),
	}
	paths, _ := filepath.Glob("testdata/screens-others/*.ansi")
	if len(paths) < 16 {
		t.Fatalf("only %d screens", len(paths))
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(path), ".ansi")
		lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		got := askedOn(kind, &core.Screen{Lines: lines, Visible: len(lines)})
		if name == "omp-setup" {
			if got.reason != core.ReasonLogin || len(got.options) != 10 {
				t.Errorf("%s: %q", name, got)
			}
		} else if fmt.Sprint(got) != fmt.Sprint(want[name]) {
			t.Errorf("%s:\n got %q\nwant %q", name, got, want[name])
		}
	}
}

// TestScreensOfAKindThatIsUnprovenAreRead reads the recorded screens of kinds that have rules for some of them.
func TestScreensOfAKindThatIsUnprovenAreRead(t *testing.T) {
	kinds := load(t)
	for file, want := range map[string]struct {
		kind    core.Kind
		reason  core.Reason
		options int
	}{
		"omp-approval": {"omp", core.ReasonApproval, 2}, "omp-setup": {"omp", core.ReasonLogin, 10},
		"omp-working": {"omp", "", 0}, "omp-idle": {"omp", "", 0}, "auggie-login": {"auggie", core.ReasonLogin, 1},
		"amp-login": {"amp", core.ReasonLogin, 2}, "cline-approval": {"cline", core.ReasonApproval, 2},
	} {
		text, err := os.ReadFile(filepath.Join("testdata", "screens-others", file+".ansi"))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		kind, _ := kinds.Find(string(want.kind))
		reading := kind.Read(&core.Screen{Lines: lines, Visible: len(lines)})
		d, open := reading.Dialog()
		_, works := reading.Working()
		if open != (want.reason != "") || d.Reason != want.reason || len(d.Options) != want.options ||
			works && file != "omp-working" && !open || !works && file == "omp-working" {
			t.Errorf("%s: open %v for %s with %d options, works %v", file, open, d.Reason, len(d.Options), works)
		}
	}
}
