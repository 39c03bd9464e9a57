package loop

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"cupola/core"
	"cupola/core/run/story"
	"cupola/core/system/textfile"
)

// evidenceDir is the folder beside the tasks of an OpenSpec change with the evidence of its stories. It is a part of
// the change, and is archived with it.
const evidenceDir = "evidence"

// keepEvidence writes what proves a story beside the tasks of its change, where it joins the story's commit.
// It has no times, so that a run that was cut off writes the same once more. Where an agent left something else in its
// place, an event says so.
func (w *work) keepEvidence() error {
	if w.rec.Source != story.OpenSpec {
		return nil
	}
	failed := w.writeEvidence()
	if failed == nil {
		return nil
	}
	return w.rec.change(w.p, func(*story.Try) []story.Event {
		return []story.Event{{Type: story.Note, Text: "the evidence is not kept: " + failed.Error()}}
	})
}

func (w *work) writeEvidence() error {
	dir := filepath.Join(w.tree.root, filepath.Dir(w.rec.Path), evidenceDir)
	if err := w.tree.inside(dir); err != nil {
		return err
	}
	change, err := w.space.list(w.tree, w.p)
	if err != nil {
		return err
	}
	one, err := storyOf(change, w.p.ID)
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	path := filepath.Join(dir, evidenceName(w.p.ID)+".md")
	if err == nil {
		err = w.tree.inside(path)
	}
	if err != nil {
		return err
	}
	w.rec.mu.Lock()
	text := evidence(w.p, one)
	w.rec.mu.Unlock()
	if err := textfile.Put(path, []byte(text)); err != nil {
		return err
	}
	return os.Chmod(path, 0o644) //nolint:gosec // it is a file of the repository
}

// evidenceName is the id of a story as the name of a file.
func evidenceName(id string) string {
	return strings.TrimLeft(strings.Map(func(r rune) rune {
		if r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._-", r)) {
			return r
		}
		return '-'
	}, id), ".")
}

// evidence says what proves a story: its plan, the checks that passed with what they printed, what the agent said of
// its work, and why earlier tries were not accepted.
func evidence(p *story.Progress, one *story.Story) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Evidence of story %s: %s\n\n## Plan\n\n", p.ID, core.OneLine(one.Title))
	for i := range one.Tasks {
		task := &one.Tasks[i]
		mark := " "
		if task.Done {
			mark = "x"
		}
		fmt.Fprintf(&b, "%s- [%s] %s %s\n", strings.Repeat("  ", task.Depth), mark, task.ID, task.Text)
	}
	last := p.Last()
	if last == nil {
		return b.String()
	}
	b.WriteString("\n## Checks\n\n")
	for i := range last.Checks {
		check := &last.Checks[i]
		again := func(later story.Check) bool { return later.Command == check.Command }
		if !check.Passed || slices.ContainsFunc(last.Checks[i+1:], again) { // a try that was cut off checks again
			continue
		}
		fmt.Fprintf(&b, "`%s` passed.\n\n", core.OneLine(check.Command))
		quote(&b, check.Output)
	}
	if len(last.Checks) == 0 {
		b.WriteString("No command proves it: all its tasks are ticked.\n\n")
	}
	if last.Answer != "" {
		b.WriteString("## Review\n\nThe agent said at its end:\n\n")
		quote(&b, last.Answer)
	}
	for i := range p.Tries {
		if try := &p.Tries[i]; try.Outcome == story.NotProven {
			fmt.Fprintf(&b, "## Try %d was not accepted\n\n", try.N)
			quote(&b, try.Failure)
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// quote writes a text as an indented block; nothing if it is empty.
func quote(b *strings.Builder, text string) {
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimRight("    "+strings.TrimRight(line, "\r\n"), " ") + "\n")
	}
	b.WriteString("\n")
}
