package loop

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"cupola/core"
	"cupola/core/run/crew"
	"cupola/core/run/story"
	"cupola/core/system/textfile"
)

// The limits of the parts of a prompt, in bytes.
const (
	mostContext  = 60_000
	mostFailure  = 20_000
	mostLearning = 20_000
)

// prompt returns the prompt of an agent. Again is true if an earlier agent was cut off while it worked on the story.
func (w *work) prompt(change *story.Change, one *story.Story, again bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Work on one story of the change %s, in the git worktree %s.\n\n# Story %s: %s\n\n", w.rec.Name,
		w.dir(), one.ID, core.OneLine(one.Title))
	if w.p.Text != "" {
		b.WriteString(crew.Cut(w.p.Text, mostContext) + "\n\n")
	}
	tasks := w.space.tasks(w.tree)
	if below, err := filepath.Rel(w.dir(), tasks); err == nil {
		tasks = below
	}
	fmt.Fprintf(&b, "Its tasks, in the file %s:\n\n", tasks)
	for i := range one.Tasks {
		task := &one.Tasks[i]
		mark := " "
		if task.Done {
			mark = "x"
		}
		fmt.Fprintf(&b, "%s- [%s] %s %s\n", strings.Repeat("  ", task.Depth), mark, task.ID, task.Text)
	}
	w.rules(&b)
	w.troubles(&b, again)
	for _, part := range []struct{ title, text string }{
		{"Proposal", change.Proposal},
		{"Design", change.Design},
		{"Scenarios that must hold", scenarios(change)},
		{"Learned in earlier stories", learnings(w.rec.learned())},
	} {
		if text := strings.TrimSpace(part.text); text != "" {
			fmt.Fprintf(&b, "\n# %s\n\n%s\n", part.title, crew.Cut(text, mostContext))
		}
	}
	return b.String()
}

// rules says how to work on a story.
func (w *work) rules(b *strings.Builder) {
	b.WriteString("\n# Rules\n\n- Work on this story alone. Others do the other stories.\n" +
		"- Tick a task in that file (\"[x]\") when it is done, and only then. Change nothing else in the file.\n" +
		"- Commit nothing and change no branch: what is in the worktree is committed for you.\n" +
		"- The story is done when all its tasks are ticked")
	if len(w.rec.Verify) > 0 {
		b.WriteString(" and these commands pass, which are run for you:\n")
		for _, command := range w.rec.Verify {
			fmt.Fprintf(b, "      %s\n", command)
		}
	} else {
		b.WriteString(".\n")
	}
	if crew.Stage(w.rec.Stage) == crew.Headless {
		b.WriteString("- Questions get no answer. Decide yourself, and say what you decided.\n")
	}
	b.WriteString("- End with a short answer that says what you did. For each thing that those who work on later " +
		"stories must know and cannot see, add a line \"LEARNED: ...\". If the story cannot be done, say why in a " +
		"line \"BLOCKED: ...\".\n")
	if w.run.loop.Hint != "" && w.session != "" {
		b.WriteString("- " + w.run.loop.Hint + "\n")
	}
}

// troubles says what went wrong before.
func (w *work) troubles(b *strings.Builder, again bool) {
	if again {
		b.WriteString("\n# An agent was cut off\n\nAnother agent worked on this story and was cut off. What it " +
			"changed is in the worktree: look at it first.\n")
	}
	if len(w.conflict) > 0 {
		b.WriteString("\n# Resolve a conflict\n\nThe story was done, but other stories changed the same places. The " +
			"worktree has both, with conflict markers in:\n\n")
		for _, name := range w.conflict {
			fmt.Fprintf(b, "- %s\n", name)
		}
		b.WriteString("\nResolve them so that both stories hold, leave no marker, and tick the tasks again.\n")
	}
	if w.p.Failure == "" {
		return
	}
	b.WriteString("\n# Why the last try was not accepted\n\nWhat it changed is in the worktree. Continue there.\n\n" +
		w.p.Failure + "\n")
	if last := w.p.Last(); last != nil && len(last.Checks) > 0 {
		if check := &last.Checks[len(last.Checks)-1]; !check.Passed {
			fmt.Fprintf(b, "\n%s printed:\n\n%s\n", check.Command, core.End(check.Output, mostFailure))
		}
	}
	if n := w.run.stuck(w.p); n > 0 && w.rec.Limits.OnStuck != story.RetrySame {
		fmt.Fprintf(b, "\n# Another approach is needed\n\nThe last %d tries failed in the same way. Do not repeat "+
			"what they did: find out why it cannot work, drop it where it is wrong, and solve the story in another "+
			"way. Say at the end what you did differently.\n", n)
	}
}

func scenarios(change *story.Change) string {
	var b strings.Builder
	requirement := ""
	for i := range change.Scenarios {
		s := &change.Scenarios[i]
		if head := s.Capability + ": " + s.Requirement; head != requirement {
			requirement = head
			fmt.Fprintf(&b, "\n%s\n", head)
		}
		fmt.Fprintf(&b, "- %s:", s.Name)
		for _, given := range s.Given {
			fmt.Fprintf(&b, " given %s;", given)
		}
		if s.When != "" {
			fmt.Fprintf(&b, " when %s;", s.When)
		}
		for _, then := range s.Then {
			fmt.Fprintf(&b, " then %s;", then)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// learnings are the newest, as far as there is room.
func learnings(all []story.Learning) string {
	text := ""
	for i := len(all) - 1; i >= 0; i-- {
		line := "- " + strings.ReplaceAll(all[i].Text, "\n", "\n  ") + "\n"
		if len(text)+len(line) > mostLearning {
			break
		}
		text = line + text
	}
	return text
}

// promptPath is the file with what the agent of a try was asked; of is the label of its story.
func promptPath(b *Directory, id, of string, try int) string {
	return filepath.Join(b.Folder(id), "prompts", of+"-"+strconv.Itoa(try)+".md")
}

// readPrompt returns what the agent of a try was asked; empty if it was not asked.
func readPrompt(b *Directory, id, of string, try int) (string, error) {
	text, err := readSmall(promptPath(b, id, of, try))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", core.FileError("read the prompt of a try", err)
	}
	return string(text), nil
}

func savePrompt(b *Directory, id, of string, try int, prompt string) error {
	path := promptPath(b, id, of, try)
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = textfile.Put(path, []byte(prompt))
	}
	if err != nil {
		return core.FileError("record the prompt of a try", err)
	}
	return nil
}
