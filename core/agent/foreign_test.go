package agent_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/agent"
)

// heads match the first rows of approvals, plans and questions.
var heads = regexp.MustCompile(`^(Bash command|Create file|Edit file|Run a test command|touch m\d|hello\.txt|` +
	`Exit plan mode\?|☐ |Cline needs permission|Would you like to|Do you want to|Question \d|Copilot needs|` +
	`\?  ?\S|Answer Questions|△ |Which |Delete all\?|Allow |Carry out |Ready to code|Answer |Keep )`)

// TestNothingThatWasPrintedBeforeIsAsked goes over all dialogs on record: the first row of each is its own.
func TestNothingThatWasPrintedBeforeIsAsked(t *testing.T) {
	captures := corpus(t, filepath.Join("testdata", "screens"))
	if folder := os.Getenv("CUPOLA_TESTDATA"); folder != "" {
		captures = append(captures, corpus(t, filepath.Join(folder, "screens"))...)
	}
	kinds, seen := load(t), 0
	for _, c := range captures {
		kind, _ := kinds.Find(c.Agent)
		d, open := kind.Read(c.screen(t)).Dialog()
		asks := []core.Reason{core.ReasonApproval, core.ReasonPlan, core.ReasonQuestion}
		if !open || unshown[c.File] != "" || !slices.Contains(asks, d.Reason) {
			continue
		}
		seen++
		if len(d.Text) > 0 && !heads.MatchString(d.Text[0]) {
			t.Errorf("%s: the dialog begins with %q", c.File, d.Text[0])
		}
		for _, o := range d.Options {
			if strings.Contains(o.Label, "  ") {
				t.Errorf("%s: the label %q has its detail in it", c.File, o.Label)
			}
		}
	}
	if seen < 30 {
		t.Errorf("only %d dialogs", seen)
	}
}

// Of what a program printed before it asks in writing, only what introduces the question belongs to it.
func TestAWrittenQuestionBeginsWhereItIsIntroduced(t *testing.T) {
	generic, _ := load(t).Find("generic")
	for name, test := range map[string]struct {
		rows  []string
		about string
		text  []string
	}{
		"alone": {
			[]string{"compiling b.c", "linking", "Overwrite ~/x? (yes/no): "},
			"Overwrite ~/x? (yes/no):",
			[]string{"Overwrite ~/x? (yes/no):"},
		},
		"with a list": {
			[]string{"Reading package lists... Done", "These will be removed:", "  foo bar", "", "Continue? [Y/n] "},
			"Continue? [Y/n]",
			[]string{"These will be removed:", "foo bar", "Continue? [Y/n]"},
		},
		"below a question": {
			[]string{"linking", "", "Allow this command?", "  rm -rf build", "[y/N]: "},
			"Allow this command? rm -rf build",
			[]string{"Allow this command?", "rm -rf build", "[y/N]:"},
		},
		"with a command": {
			[]string{"linking", "Command: touch x", "Run this command? [y/N] "},
			"Run this command? [y/N]",
			[]string{"Command: touch x", "Run this command? [y/N]"},
		},
	} {
		last := test.rows[len(test.rows)-1]
		screen := &core.Screen{
			Lines: test.rows, Visible: len(test.rows),
			View: core.Viewport{
				Width: 80, Height: len(test.rows),
				Cursor: core.Cursor{X: len(last), Y: len(test.rows) - 1, Visible: true},
			},
		}
		d, open := generic.Read(screen).Dialog()
		_, yes := d.Choice(agent.Approves)
		if !open || !yes || d.About != test.about || !slices.Equal(d.Text, test.text) {
			t.Errorf("%s: open %v, about %q, text %q", name, open, d.About, d.Text)
		}
	}
}
