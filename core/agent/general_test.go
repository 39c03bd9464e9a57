package agent_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/fleet/fleettest"
)

// choicesOf returns the options of a dialog in words, for comparison. It leaves out the parts that only colours show,
// and the meaning of an answer to a question.
func choicesOf(d *agent.OpenDialog, question bool) string {
	var text strings.Builder
	for _, o := range d.Options {
		means := o.Means
		switch {
		case question:
			means = ""
		case means == agent.Takes && strings.HasPrefix(o.Label, "No"): // a no that takes words is no less a no
			means = agent.Denies
		}
		fmt.Fprintf(&text, "%d %q %v %s; ", o.N, strings.TrimRight(o.Label, " ✔"), o.Selected, means)
	}
	return text.String()
}

// leftOut counts how a reader did on screens that it has no rules for.
type leftOut struct{ dialogs, reasons, options, asks, others, false int }

func (l *leftOut) String() string {
	share := func(n, of int) string {
		return fmt.Sprintf("%4d of %4d (%.1f %%)", n, of, 100*float64(n)/float64(max(1, of)))
	}
	return fmt.Sprintf("reasons %s, options %s, asks %s, false dialogs %d of %d", share(l.reasons, l.dialogs),
		share(l.options, l.dialogs), share(l.asks, l.dialogs), l.false, l.others)
}

// TestDialogsOfKindsThatAreLeftOutAreRead reads every recorded screen as if nothing were known of the dialogs of its
// kind, once with its composer known and once as that of an unknown program.
func TestDialogsOfKindsThatAreLeftOutAreRead(t *testing.T) {
	captures := corpus(t, filepath.Join("testdata", "screens"))
	if folder := os.Getenv("CUPOLA_TESTDATA"); folder != "" {
		captures = append(captures, corpus(t, filepath.Join(folder, "screens"))...)
	}
	kinds, without := load(t), fleettest.KindsWithout(t, "kinds", core.Waiting)
	generic, _ := kinds.Find("generic")
	results := map[string]*leftOut{}
	for _, c := range captures {
		if unshown[c.File] != "" || strings.HasPrefix(c.State, "dialog_") {
			continue
		}
		known, _ := kinds.Find(c.Agent)
		kind, _ := without.Find(c.Agent)
		full, open := known.Read(c.screen(t)).Dialog()
		for name, reader := range map[string]*agent.Kind{"no dialogs known": kind, "unknown program": generic} {
			if c.State == "exited" && reader == generic {
				continue
			}
			for _, key := range []string{name + ": " + c.Agent, name + ": all"} {
				if results[key] == nil {
					results[key] = &leftOut{}
				}
				results[key].judge(t, &c, reader, &full, open, strings.HasSuffix(key, "all"))
			}
		}
	}
	for _, name := range sortedKeys(results) {
		t.Logf("%-28s %s", name, results[name])
	}
	for _, name := range []string{"no dialogs known: all", "unknown program: all"} {
		r := results[name]
		if r.reasons*100 < r.dialogs*95 || r.options*100 < r.dialogs*95 || r.false > 0 {
			t.Errorf("%s: %s", name, r)
		}
	}
}

func (l *leftOut) judge(
	t *testing.T, c *capture, reader *agent.Kind, full *agent.OpenDialog, open, tell bool,
) {
	t.Helper()
	d, found := reader.Read(c.screen(t)).Dialog()
	if !open {
		l.others++
		if found {
			l.false++
			if tell {
				t.Logf("%s (%s): a dialog is seen: %s %q %s", c.File, reader.ID, d.Reason, d.Line, choicesOf(&d, false))
			}
		}
		return
	}
	l.dialogs++
	question := full.Reason == core.ReasonQuestion
	reason := found && d.Reason == full.Reason
	options := choicesOf(&d, question) == choicesOf(full, question)
	asks := strings.Contains(d.About, string([]rune(full.About)[:min(40, len([]rune(full.About)))]))
	for right, n := range map[*bool]*int{&reason: &l.reasons, &options: &l.options, &asks: &l.asks} {
		if *right {
			*n++
		}
	}
	if tell && (!reason || !options || !asks) {
		t.Logf("%s (%s): %s, want %s\n   %s\n   %s\n   %q\n   %q", c.File, reader.ID, d.Reason, full.Reason,
			choicesOf(&d, question), choicesOf(full, question), d.About, full.About)
	}
}

func sortedKeys[V any](m map[string]V) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// TestAPromptOfSeveralLinesIsNoListOfOptions reads a prompt and its answer, as agents draw them, above the parts of a
// composer that are drawn already.
func TestAPromptOfSeveralLinesIsNoListOfOptions(t *testing.T) {
	kinds := load(t)
	rule := strings.Repeat("─", 100)
	footer := []string{"  ➜ work · model", "  ⏸ Ask permissions (shift + tab to cycle)"}
	for _, drawn := range []struct{ kind, margin, pointer, mark string }{
		{"claude", "", "❯", "●"},
		{"claude", "", "❯", "⏺"},
		{"codex", "", "›", "•"},
		{"copilot", "", "❯", "●"},
		{"qwen", "  ", ">", "✦"},
		{"qwen", "  ", ">", "◆\ufe0e"},
		{"generic", "  ", ">", "◆"},
		{"generic", "", "❯", "⏺"},
		{"generic", "", "›", "✦"},
		{"generic", "  ", "❯", "●"},
	} {
		said := drawn.margin + drawn.mark + " Hello! This is a short answer from the model."
		above := []string{
			said, "", drawn.margin + drawn.pointer + " all of it", drawn.margin + "  two", drawn.margin + "  three", "",
			said, "",
		}
		for name, below := range map[string][]string{
			"nothing": nil, "a rule": {rule}, "a frame": {rule, "", rule}, "no edges": footer,
			"a footer": append([]string{rule, "", rule}, footer...),
		} {
			kind, _ := kinds.Find(drawn.kind)
			screen := &core.Screen{Lines: slices.Concat(above, below)}
			screen.Visible = len(screen.Lines)
			screen.View = core.Viewport{Width: 120, Height: screen.Visible}
			if d, open := kind.Read(screen).Dialog(); open && len(d.Options) > 0 {
				t.Errorf("%+v above %s: %q by %s", drawn, name, choicesOf(&d, false), d.Rule.ID)
			}
		}
	}
}
