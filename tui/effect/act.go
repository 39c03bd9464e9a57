package effect

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/core/record/undo"
	"cupola/core/verb/agents"
	"cupola/core/verb/registry"
	"cupola/tui/intent"
	"cupola/tui/screen"
)

// Door is the way to the verbs, which the command line calls too: the same checks, refusals and records.
type Door interface {
	// Call calls the verb whose input has the type of a value, at a place, on the machine that is named there. What was
	// done before a failure is answered beside the error.
	Call(ctx context.Context, at registry.Target, input any) (Answer, error)
	// Doing names the running action, before the words for its target; empty if it ends at once.
	Doing(input any) string
}

// Answer is the answer of a verb. The zero value is empty.
type Answer struct {
	// Said is its summary in one line.
	Said string
	// Value has the type that the verb declares for its answers.
	Value any
	// Undo is the act that was put on record, so that it can be taken back; nil for none.
	Undo *undo.Act
}

// Doing names the running action of an act, before the words for its target.
func (e *Effects) Doing(act intent.Act) string { return e.door.Doing(act.Input) }

// underway returns the command that carries out an act, which Close waits for.
func (e *Effects) underway(wanted intent.Intent, act func() Done) tea.Cmd {
	return func() tea.Msg {
		if !e.acts.begin() {
			return nil
		}
		defer e.acts.underway.Done()
		done := act()
		done.Intent = wanted
		e.readers.hurry() // what is on record may be another now
		return done
	}
}

// act calls the verb of an act.
func (e *Effects) act(w intent.Act) Done {
	answer, err := e.door.Call(e.ctx, targetOf(w.At...), w.Input)
	done := Done{Said: answer.Said, Err: err, Answer: answer.Value}
	if answer.Undo != nil {
		done.Undo = []undo.Act{*answer.Undo}
	}
	if some, is := answer.Value.(interface{ Undelivered() []core.PaneRef }); is {
		for _, ref := range some.Undelivered() {
			done.Unsent = append(done.Unsent,
				intent.Target{Session: ref.Session, Pane: ref.Pane, Address: ref.Address()})
		}
	}
	return done
}

// each carries out several acts at once and reports the end of each. Its error is the error of the first that failed.
func (e *Effects) each(w intent.Each) Done {
	dones := make([]Done, len(w.Acts))
	var underway sync.WaitGroup
	for i, one := range w.Acts {
		underway.Go(func() { dones[i] = e.act(one) })
	}
	underway.Wait()
	var all Done
	var said, failed []string
	for i := range dones {
		if dones[i].Said != "" {
			said = append(said, dones[i].Said)
		}
		unsent := dones[i].Unsent
		if err := dones[i].Err; err != nil {
			if all.Err == nil {
				all.Err = err
			}
			if dones[i].Said == "" {
				failed = append(failed, core.AsError(err).Error())
			}
			if len(unsent) == 0 {
				unsent = w.Acts[i].At
			}
		}
		all.Unsent, all.Undo = append(all.Unsent, unsent...), append(all.Undo, dones[i].Undo...)
	}
	all.Said = strings.Join(append(together(said), failed...), ", ")
	return all
}

// together joins what acts said in one sentence where all begin with the same word: "ended a, b".
func together(said []string) []string {
	if len(said) < 2 {
		return said
	}
	verb, _, _ := strings.Cut(said[0], " ")
	rest := make([]string, len(said))
	for i, one := range said {
		object, is := strings.CutPrefix(one, verb+" ")
		if !is {
			return said
		}
		rest[i] = object
	}
	return []string{verb + " " + strings.Join(rest, ", ")}
}

// targetOf is where an act is: at one session or pane, at panes of one session, or at panes wherever they are.
func targetOf(at ...intent.Target) registry.Target {
	var place registry.Target
	if len(at) == 0 {
		return place
	}
	if len(at) == 1 {
		return registry.Target{Session: word(at[0])}
	}
	if slices.ContainsFunc(at, func(t intent.Target) bool { return t.Session != at[0].Session }) {
		for _, target := range at {
			place.Panes = append(place.Panes, word(target))
		}
		return place
	}
	place.Session = at[0].Session
	if dot := strings.LastIndexByte(at[0].Identity, '.'); dot > 0 {
		place.Session = at[0].Identity[:dot]
	}
	for _, target := range at {
		place.Panes = append(place.Panes, string(target.Pane))
	}
	return place
}

// ended returns the result of an act that no verb does; a failed one has the error only.
func ended(said string, err error) Done {
	if err != nil {
		return Done{Err: err}
	}
	return Done{Said: said}
}

// copyReply puts the last reply of an agent on the clipboard, or the last block of code in it.
func (e *Effects) copyReply(ctx context.Context, w intent.CopyReply) (string, error) {
	answer, err := e.door.Call(ctx, targetOf(w.At), agents.ReplyIn{})
	if err != nil {
		return "", err
	}
	text, missing := "", ""
	if reply, is := answer.Value.(interface{ Replied() (text, missing string) }); is {
		text, missing = reply.Replied()
	}
	switch {
	case text == "":
		return "", fmt.Errorf("copy: %s has said nothing yet", w.At.Address)
	case w.Code:
		if text = lastCode(text); text == "" {
			return "", fmt.Errorf("copy: the last reply of %s has no block of code", w.At.Address)
		}
	}
	said, err := e.copyText(strings.TrimRight(text, "\n") + "\n")
	if err == nil && missing != "" {
		said += "; it is not complete: " + missing
	}
	return said, err
}

// lastCode returns the last block between fences of a Markdown text, without the fences; one that is not closed reaches
// to the end. It is empty if there is none.
func lastCode(text string) string {
	var last []string
	fence, indent := "", ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		bare := strings.TrimLeft(line, " ")
		mark := bare[:len(bare)-len(strings.TrimLeft(bare, "`~"))]
		switch {
		case fence == "" && len(mark) >= fenceLeast:
			fence, indent, last = mark, line[:len(line)-len(bare)], nil
		case fence == "":
		case strings.HasPrefix(mark, fence) && strings.TrimSpace(bare) == mark:
			fence = ""
		default:
			last = append(last, strings.TrimPrefix(line, indent))
		}
	}
	return strings.Join(last, "\n")
}

// fenceLeast is how many characters a fence has at least.
const fenceLeast = 3

// copyText puts a text on the clipboard.
func (e *Effects) copyText(text string) (string, error) {
	if err := e.clip(text); err != nil {
		return "", fmt.Errorf("copy: %w", err)
	}
	lines := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		lines++
	}
	return "copied " + screen.Count(lines, "line"), nil
}
