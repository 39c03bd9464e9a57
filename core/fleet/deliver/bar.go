package deliver

import (
	"regexp"
	"strings"
	"sync"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/fleet/terminal"
	"cupola/core/system/process"
)

// pager matches the last line of a pager, which takes every character for a command.
var pager = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^:$|\(END\)$|^-+ ?More ?-+|^lines \d+-\d+`)
})

// barred refuses a program that no rules parse where it would take the text for something else than a prompt. With
// force it refuses nothing.
func (c *delivery) barred(g *terminal.Capture) error {
	if c.force {
		return nil
	}
	bar := func(why, evidence string) error {
		return terminal.Refusal{Why: why, Evidence: evidence, Remedy: core.RemedyForce}
	}
	if g.Screen.View.Partial {
		return bar(terminal.WhyPartial, core.PartialScreen)
	}
	if g.TTY != "" {
		if hidden, err := process.HidesLines(g.TTY); err == nil && hidden {
			return bar(terminal.WhyBusy, "what is typed there is not shown, as where a password is asked for")
		}
	}
	if g.Edits() {
		return nil
	}
	if g.Screen.View.AlternateOn && c.term.Kind == nil {
		return bar(terminal.WhyBusy, g.Front.Command+" has the whole screen and would take the text for keys")
	}
	if dialog, open := g.Dialog(); open {
		return terminal.Refusal{
			Why: terminal.WhyDialog, Remedy: core.RemedyAnswerQuestion,
			Evidence: "a question is asked there: " + summary(&dialog),
		}
	}
	line, _ := agent.CursorLine(g.Screen)
	if before := strings.TrimSpace(line.Before); pager().MatchString(before) {
		return bar(terminal.WhyBusy, g.Front.Command+" shows text by the page and would take the text for keys: "+
			core.Excerpt(before))
	}
	return nil
}
