package loop

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/crew"
	"cupola/core/crew/orchestrator"
	"cupola/core/relay/stream"
	"cupola/core/secret"
	"cupola/core/story"
)

// story works on a story until it is proven, given up, or the run has to end. It returns the reason for that.
func (r *run) story(ctx context.Context, p *story.Progress) (story.Reason, error) {
	t, err := r.place(ctx, p)
	if err != nil {
		return story.Error, err
	}
	w := &work{run: r, p: p, tree: t}
	if done, err := w.pickUp(ctx); done || err != nil {
		return reasonOf(err), err
	}
	for {
		if reason := r.limit(ctx); reason != "" {
			return reason, nil
		}
		if err := r.pause(ctx); err != nil || ctx.Err() != nil {
			return reasonOf(err), err
		}
		done, err := w.try(ctx)
		if err != nil {
			if ctx.Err() != nil {
				return story.StoppedBy, nil //nolint:nilerr // it is that of ctx
			}
			return story.Error, err
		}
		if done {
			return "", nil
		}
		if reason := r.giveUp(p); reason != "" {
			return reason, r.change(p, func(*story.Try) []story.Event {
				p.State = story.GivenUp
				return []story.Event{{Type: story.StoryOpen, Step: story.GivenUp, Reason: reason, Text: p.Failure}}
			})
		}
	}
}

func reasonOf(err error) story.Reason {
	if err != nil {
		return story.Error
	}
	return ""
}

// giveUp is why no other try of a story is made; empty if one is.
func (r *run) giveUp(p *story.Progress) story.Reason {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.idle >= r.Limits.NoProgress:
		return story.NoProgress
	case failures(p)-r.forgiven[p.ID] <= r.Limits.MaxRetries:
		return ""
	case p.Last().Merge:
		return story.Conflicted
	}
	return story.Retries
}

// failures counts the tries of a story that failed.
func failures(p *story.Progress) (n int) {
	for i := range p.Tries {
		if p.Tries[i].Outcome == story.NotProven {
			n++
		}
	}
	return n
}

// work is the work on one story.
type work struct {
	run  *run
	p    *story.Progress
	tree *tree
	// session is that in which the agent can report; empty where there is none.
	session string
	// conflict are the files in which an agent has to resolve a conflict.
	conflict []string
}

// pickUp goes on where an earlier run was: it takes what is proven already, and merges what is not merged yet. Done
// says that nothing is left to do.
func (w *work) pickUp(ctx context.Context) (done bool, err error) {
	if w.run.loop.Items != nil && len(w.p.Tries) == 0 {
		if err := w.run.loop.Items.Claim(ctx, w.p.ID); err != nil {
			return false, err
		}
	}
	commit, err := w.run.main.proof(ctx, w.run.Base, w.run.ID, w.p.ID)
	if err != nil {
		return false, err
	}
	if commit != "" {
		w.run.merging.Lock()
		defer w.run.merging.Unlock()
		return true, w.merged(ctx, commit)
	}
	if w.p.Unmerged != "" {
		return false, w.lay(ctx)
	}
	if w.tree != w.run.main {
		if commit, err = w.tree.proof(ctx, w.p.Base, w.run.ID, w.p.ID); err != nil {
			return false, err
		}
		if commit != "" {
			return w.merge(ctx, commit)
		}
	}
	last := w.p.Last()
	if last != nil && w.tree != w.run.main {
		if w.conflict, err = w.tree.marked(ctx); err != nil {
			return false, err
		}
	}
	if w.p.State == story.Verifying && last != nil && last.Content != "" {
		added, err := w.tree.removeAdded(ctx, w.run.ID, last.Content)
		if err == nil && len(added) > 0 {
			err = w.run.change(w.p, func(*story.Try) []story.Event {
				return []story.Event{{
					Type: story.Note, Text: "what a verification left that was cut off is removed", Files: added,
				}}
			})
		}
		if err != nil {
			return false, err
		}
	}
	// Somebody may have done since what no agent could; and what is proven may not be committed yet.
	if w.p.State == story.GivenUp || last != nil && last.Outcome == story.Proven {
		return w.proveAgain(ctx)
	}
	return false, nil
}

// proveAgain proves a story without asking an agent, and commits it if it is done.
func (w *work) proveAgain(ctx context.Context) (done bool, err error) {
	failed, err := w.prove(ctx)
	if err != nil {
		return false, err
	}
	if failed == "" {
		return w.commit(ctx)
	}
	return false, w.run.change(w.p, func(try *story.Try) []story.Event {
		w.p.Failure = secret.Mask(failed)
		if try != nil {
			try.Outcome, try.Failure = story.NotProven, w.p.Failure
		}
		return nil
	})
}

// try lets one agent work on the story. Done says that it is proven and merged.
func (w *work) try(ctx context.Context) (done bool, err error) {
	again, prompt, err := w.begin(ctx)
	if err != nil {
		return false, err
	}
	before, err := w.tree.content(ctx)
	if err != nil {
		return false, err
	}
	answer, failure := w.run.ask(ctx, w.p, w.dir(), prompt)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if e := core.AsError(failure); failure != nil && helpless[e.Code] {
		return false, failure
	}
	if err := w.heard(ctx, answer); err != nil {
		return false, err
	}
	ticked, err := w.scope(ctx)
	if err != nil {
		return false, err
	}
	after, err := w.tree.content(ctx)
	if err != nil {
		return false, err
	}
	failed, err := w.prove(ctx)
	if err != nil {
		return false, err
	}
	// How the agent ended, and what it says, is no more than a hint at what is missing.
	if failed != "" && failure != nil {
		failed += "\nThe agent failed: " + failure.Error()
	} else if said := refusal(answer); failed != "" && said != "" {
		failed += "\nThe agent said: " + said
	}
	if err := w.ended(failed, ticked, after != before || again); err != nil {
		return false, err
	}
	if failed != "" {
		return false, nil
	}
	return w.commit(ctx)
}

// dir is the folder in which the agent works.
func (w *work) dir() string { return w.run.Tree(w.p) }

// begin puts a try on record, or takes up the last one if it was cut off; then again is true.
func (w *work) begin(ctx context.Context) (again bool, prompt string, err error) {
	change, err := w.run.read(w.tree, w.p)
	if err != nil {
		return false, "", err
	}
	one, err := storyOf(change, w.p.ID)
	if err != nil {
		return false, "", err
	}
	if err := w.seat(ctx, change); err != nil {
		return false, "", err
	}
	w.run.mu.Lock()
	last := w.p.Last()
	again = last != nil && last.Outcome == ""
	w.run.mu.Unlock()
	if again {
		if prompt, err = w.run.loop.Book.prompt(w.run.ID, w.run.label(w.p), last.N); err != nil || prompt != "" {
			return again, prompt, err
		}
	} else if w.run.Stage == string(crew.Panes) && w.run.loop.ClosePane != nil && last != nil && last.Pane != "" {
		// It is no matter if it is gone.
		_ = w.run.loop.ClosePane(ctx, last.Pane)
	}
	prompt = w.prompt(change, one, again)
	err = w.run.change(w.p, func(*story.Try) []story.Event {
		w.p.State = story.Working
		if again {
			return []story.Event{{Type: story.Note, Text: "the try goes on that was cut off"}}
		}
		first := len(w.p.Tries) == 0
		w.run.Iterations++
		w.p.Tries = append(w.p.Tries, story.Try{
			N: len(w.p.Tries) + 1, Began: w.run.loop.Now().UTC(), Checks: []story.Check{}, Merge: len(w.conflict) > 0,
			CostKnown: true,
		})
		events := []story.Event{{Type: story.TryStart, Step: story.Working, Text: w.p.Failure}}
		if first {
			events = append([]story.Event{{Type: story.StoryStart, Step: story.Working, Text: w.p.Title}}, events...)
		}
		return events
	})
	if err == nil {
		err = w.run.loop.Book.savePrompt(w.run.ID, w.run.label(w.p), w.p.Last().N, prompt)
	}
	return again, prompt, err
}

// heard notes what an agent said at its end, what it cost, and what it found out.
func (w *work) heard(ctx context.Context, answer *orchestrator.Answer) error {
	learned, err := w.reported(ctx)
	if err != nil {
		return err
	}
	if answer != nil {
		for _, text := range told(answer.Text, "LEARNED:") {
			learned = append(learned, story.Learning{Text: text, At: w.run.loop.Now().UTC()})
		}
	}
	return w.run.change(w.p, func(try *story.Try) []story.Event {
		try.CostKnown = answer != nil && answer.CostKnown
		w.run.CostKnown = w.run.CostKnown && try.CostKnown
		if answer != nil {
			// A run that goes on may hear it again.
			w.run.CostUSD += answer.CostUSD - try.CostUSD
			if answer.Used != nil && try.Used == nil {
				if w.run.Used == nil {
					w.run.Used = &stream.Usage{}
				}
				w.run.Used.Add(answer.Used)
			}
			try.Answer = secret.Mask(cutText(answer.Text, keptOutput))
			try.Used, try.CostUSD = answer.Used, answer.CostUSD
		}
		var events []story.Event
		for i := range learned {
			learned[i].Text, learned[i].Story = secret.Mask(learned[i].Text), w.p.ID
			if slices.ContainsFunc(
				w.run.Learnings,
				func(l story.Learning) bool { return l.Text == learned[i].Text },
			) {
				continue
			}
			w.run.Learnings = append(w.run.Learnings, learned[i])
			events = append(events, story.Event{Type: story.Learned, Text: learned[i].Text})
		}
		return events
	})
}

// commit commits a proven story, and merges it where it was worked on in a worktree of its own. Done is false if
// that needs another try.
func (w *work) commit(ctx context.Context) (done bool, err error) {
	if w.tree == w.run.main {
		if err := w.run.flush(ctx); err != nil {
			return false, err
		}
	}
	content, err := w.tree.content(ctx)
	if err != nil {
		return false, err
	}
	// What the agent committed itself becomes part of the one commit.
	commit, err := w.tree.commit(ctx, content, w.p.Base, w.message())
	if err != nil {
		return false, err
	}
	if w.tree == w.run.main {
		return true, w.done(ctx, commit)
	}
	return w.merge(ctx, commit)
}

// done records that a story is done.
func (w *work) done(ctx context.Context, commit string) error {
	if w.run.loop.Items != nil {
		if err := w.run.loop.Items.Close(ctx, w.p.ID, "done in commit "+commit); err != nil {
			return err
		}
	}
	return w.run.change(w.p, func(try *story.Try) []story.Event {
		w.p.State, w.p.Commit, w.p.Failure = story.Done, commit, ""
		w.p.TasksDone = w.p.TasksTotal
		if try != nil && try.Outcome == "" {
			try.Outcome, try.Ended = story.Proven, w.run.loop.Now().UTC()
		}
		return []story.Event{
			{Type: story.Committed, Commit: commit, Text: w.p.Title},
			{Type: story.StoryDone, Step: story.Done, Commit: commit},
		}
	})
}

// flush writes what agents found out into the design of the change.
func (r *run) flush(ctx context.Context) error {
	if r.Source != story.OpenSpec || len(r.Learnings) == 0 {
		return nil
	}
	return r.loop.Files.AddLearnings(ctx, r.design(), r.Learnings)
}

// message is that of the commit of a story.
func (w *work) message() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Story %s: %s\n\n", w.p.ID, strings.Join(strings.Fields(w.p.Title), " "))
	fmt.Fprintf(&b, "Of %s.", w.run.Name)
	if len(w.run.Verify) > 0 {
		b.WriteString(" Verified by:")
	}
	b.WriteString("\n")
	for _, command := range w.run.Verify {
		fmt.Fprintf(&b, "- %s\n", strings.Join(strings.Fields(command), " "))
	}
	fmt.Fprintf(&b, "\n%s: %s\n%s: %s\n", runTrailer, w.run.ID, storyTrailer, w.p.ID)
	return b.String()
}

// told are the lines of an answer that begin with a word, without it.
func told(answer, word string) (texts []string) {
	for line := range strings.Lines(answer) {
		line = strings.TrimLeft(strings.TrimSpace(line), "-* ")
		if text, is := strings.CutPrefix(line, word); is {
			if text = strings.TrimSpace(strings.Trim(text, "*")); text != "" {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

// refusal is why an agent says that it could not do the story; empty where it says nothing of that.
func refusal(answer *orchestrator.Answer) string {
	if answer == nil {
		return ""
	}
	return strings.Join(told(answer.Text, "BLOCKED:"), " ")
}

// cutText is the end of a text that is longer than most bytes.
func cutText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[len(text)-most:], "")
}
