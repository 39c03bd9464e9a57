package loop

import (
	"context"
	"fmt"
	"strings"

	"cupola/core"
	"cupola/core/run/crew"
	"cupola/core/run/crew/orchestrator"
	"cupola/core/run/relay/stream"
	"cupola/core/run/story"
	"cupola/core/text/secret"
)

// story works on a story until it is proven, given up, or the run has to end. It returns the reason for that.
func (r *execution) story(ctx context.Context, p *story.Progress) (story.Reason, error) {
	w := &work{run: r, rec: r.rec, space: r.space, p: p}
	done, err := w.pickUp(ctx)
	for !done && err == nil {
		if err = r.pause(ctx); err != nil {
			break
		}
		if reason := r.take(ctx, p); reason != "" {
			return reason, nil
		}
		if err = r.unstick(p); err != nil {
			break
		}
		if done, err = w.try(ctx); done || err != nil {
			break
		}
		if reason := r.giveUp(p, w.blocked); reason != "" {
			return reason, r.rec.change(p, func(*story.Try) []story.Event {
				p.State = story.GivenUp
				return []story.Event{{Type: story.StoryGivenUp, Step: story.GivenUp, Reason: reason, Text: p.Failure}}
			})
		}
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return story.StoppedBy, nil //nolint:nilerr // the error is the end of ctx
	case err != nil:
		return story.Error, err
	}
	return "", nil
}

// work is the work on one story.
type work struct {
	run   *execution
	rec   *recorder
	space *workspace
	p     *story.Progress
	tree  *tree
	// session is the id of the session in which the agent can report; empty where there is none.
	session string
	// conflict are the files in which an agent has to resolve a conflict.
	conflict []string
	// blocked is true if the last agent cannot continue without the user.
	blocked bool
}

// pickUp continues where an earlier run was: it takes proven work, and merges work that is not merged yet. Done is
// true if nothing is left to do.
func (w *work) pickUp(ctx context.Context) (done bool, err error) {
	defer w.run.doing()()
	if w.tree, err = w.space.place(ctx, w.p); err != nil {
		return false, err
	}
	if w.run.loop.Items != nil && len(w.p.Tries) == 0 {
		if err := w.run.loop.Items.Claim(ctx, w.p.ID); err != nil {
			return false, err
		}
	}
	own := w.tree != w.space.main
	switch pending := w.p.Pending; {
	case pending != "" && w.space.main.holds(ctx, pending):
		return true, w.merged(ctx, pending)
	case w.p.Unmerged != "":
		return false, w.checkOutConflict(ctx)
	case pending != "" && own && w.tree.holds(ctx, pending):
		return w.merge(ctx, pending)
	}
	last := w.p.Last()
	if last != nil && own {
		if w.conflict, err = w.tree.marked(ctx); err != nil {
			return false, err
		}
	}
	if w.p.State == story.Verifying && last != nil && last.Content != "" {
		if err := w.removeLeft(ctx, last.Content); err != nil {
			return false, err
		}
	}
	// The user may have finished the story since, or a proven story may lack its commit.
	if w.p.State == story.GivenUp || last != nil && last.Outcome == story.Proven {
		return w.proveAgain(ctx)
	}
	return false, nil
}

// removeLeft removes the files that a verification left which was cut off.
func (w *work) removeLeft(ctx context.Context, content string) error {
	added, err := w.tree.removeAdded(ctx, w.rec.ID, content)
	if err != nil || len(added) == 0 {
		return err
	}
	return w.rec.change(w.p, func(*story.Try) []story.Event {
		return []story.Event{{
			Type: story.Note, Text: "what a verification left that was cut off is removed", Files: added,
		}}
	})
}

// try lets one agent work on the story. Done says that it is proven and merged.
func (w *work) try(ctx context.Context) (done bool, err error) {
	defer w.run.doing()()
	again, prompt, err := w.begin(ctx)
	if err != nil {
		return false, err
	}
	before, err := w.tree.content(ctx)
	if err != nil {
		return false, err
	}
	answer, failure := w.ask(ctx, prompt)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if failure != nil && endsRun[core.AsError(failure).Code] {
		return false, failure
	}
	if err := w.recordAnswer(ctx, answer); err != nil {
		return false, err
	}
	st, unreadable := w.look(ctx)
	if err := w.scope(ctx, st); err != nil {
		return false, err
	}
	ticked, err := w.count(st)
	if err != nil {
		return false, err
	}
	after, err := w.tree.content(ctx)
	if err != nil {
		return false, err
	}
	failed, err := w.prove(ctx, st, unreadable, after)
	if err == nil {
		err = w.putBack(ctx, st)
	}
	if err != nil {
		return false, err
	}
	// How the agent ended, and what it says, is no more than a hint at what is missing.
	if failed != "" && failure != nil {
		failed = "the agent failed: " + failure.Error() + "\n" + failed
	} else if failed != "" && answer != nil {
		if blocked := marked(answer.Text, "BLOCKED:"); len(blocked) > 0 {
			failed += "\nthe agent said: " + strings.Join(blocked, " ")
			w.blocked = true
		}
	}
	if err := w.ended(failed, ticked, after != before || again); err != nil || failed != "" {
		return false, err
	}
	return w.commit(ctx)
}

// dir is the folder in which the agent works.
func (w *work) dir() string { return w.p.Tree(w.rec.Run) }

// begin puts a try on record, or takes up the last one if it was cut off; then again is true.
func (w *work) begin(ctx context.Context) (again bool, prompt string, err error) {
	change, err := w.space.read(w.tree, w.p)
	if err != nil {
		return false, "", err
	}
	one, err := storyOf(change, w.p.ID)
	if err != nil {
		return false, "", err
	}
	if err := w.openSession(ctx, change); err != nil {
		return false, "", err
	}
	panes := crew.Stage(w.rec.Stage) == crew.Panes
	last := w.p.Last()
	again = last != nil && last.Outcome == ""
	if again && panes {
		// An agent that still works in its pane is known by the words that it was given.
		if prompt, err = readPrompt(w.run.loop.Directory, w.rec.ID, w.space.label(w.p), last.N); err != nil {
			return again, "", err
		}
	}
	if !again && panes && w.run.loop.ClosePane != nil && last != nil && last.Pane != "" {
		// It is no matter if it is gone.
		_ = w.run.loop.ClosePane(ctx, last.Pane)
	}
	if prompt == "" {
		prompt = w.prompt(change, one, again)
	}
	err = w.rec.change(w.p, func(*story.Try) []story.Event {
		w.p.State = story.Working
		if again {
			return []story.Event{{Type: story.Note, Text: "the try that was cut off continues"}}
		}
		events := []story.Event{{Type: story.TryStart, Step: story.Working}}
		if len(w.p.Tries) == 0 {
			events = append([]story.Event{{Type: story.StoryStart, Step: story.Working, Text: w.p.Title}}, events...)
		}
		w.p.Tries = append(w.p.Tries, story.Try{
			N: len(w.p.Tries) + 1, Began: w.rec.now().UTC(), Checks: []story.Check{}, Merge: len(w.conflict) > 0,
			CostKnown: true,
		})
		return events
	})
	if err == nil {
		err = savePrompt(w.run.loop.Directory, w.rec.ID, w.space.label(w.p), w.p.Last().N, prompt)
	}
	return again, prompt, err
}

// recordAnswer records what an agent said at its end, what it cost, and what it found out.
func (w *work) recordAnswer(ctx context.Context, answer *orchestrator.Answer) error {
	learned, err := w.reported(ctx)
	if err != nil {
		return err
	}
	if answer != nil {
		for _, text := range marked(answer.Text, "LEARNED:") {
			learned = append(learned, story.Learning{Text: text, At: w.rec.now().UTC()})
		}
	}
	for i := range learned {
		learned[i].Story = w.p.ID
	}
	return w.rec.change(w.p, func(try *story.Try) []story.Event {
		try.CostKnown = answer != nil && answer.CostKnown
		w.rec.CostKnown = w.rec.CostKnown && try.CostKnown
		if answer != nil {
			// A resumed run may hear it again.
			w.rec.CostUSD += answer.CostUSD - try.CostUSD
			if answer.Used != nil && try.Used == nil {
				if w.rec.Used == nil {
					w.rec.Used = &stream.Usage{}
				}
				w.rec.Used.Add(answer.Used)
			}
			try.Answer = secret.Mask(core.End(answer.Text, keptOutput))
			try.Used, try.CostUSD = answer.Used, answer.CostUSD
		}
		return w.rec.learn(learned)
	})
}

// commit commits a proven story, and merges it where it was worked on in a worktree of its own. Done is false if
// that needs another try.
func (w *work) commit(ctx context.Context) (done bool, err error) {
	if err := w.keepEvidence(); err != nil {
		return false, err
	}
	own := w.tree != w.space.main
	if !own {
		if err := w.space.flush(ctx); err != nil {
			return false, err
		}
	}
	// What the agent committed itself becomes part of the one commit.
	commit, err := w.commitTo(ctx, w.tree, w.p.Base)
	if err != nil {
		return false, err
	}
	if own {
		return w.merge(ctx, commit)
	}
	return true, w.done(ctx, commit)
}

// commitTo commits what a worktree holds. The commit is on record before it is on the branch, so that a run that goes
// on knows it for its own, whatever agents commit.
func (w *work) commitTo(ctx context.Context, t *tree, parent string) (string, error) {
	content, err := t.content(ctx)
	if err != nil {
		return "", err
	}
	commit, err := t.commit(ctx, content, parent, w.message())
	if err != nil {
		return "", err
	}
	err = w.rec.change(w.p, func(*story.Try) []story.Event {
		w.p.Pending = commit
		return nil
	})
	if err != nil {
		return "", err
	}
	return commit, t.point(ctx, commit)
}

// done records that a story is done.
func (w *work) done(ctx context.Context, commit string) error {
	if w.run.loop.Items != nil {
		if err := w.run.loop.Items.Close(ctx, w.p.ID, "done in commit "+commit); err != nil {
			return err
		}
	}
	return w.rec.change(w.p, func(try *story.Try) []story.Event {
		w.p.State, w.p.Commit, w.p.Pending, w.p.Failure = story.Done, commit, "", ""
		w.p.TasksDone = w.p.TasksTotal
		if try != nil && try.Outcome == "" {
			try.Outcome, try.Ended = story.Proven, w.rec.now().UTC()
		}
		return []story.Event{
			{Type: story.Committed, Commit: commit, Text: w.p.Title},
			{Type: story.StoryDone, Step: story.Done, Commit: commit},
		}
	})
}

// message returns the message of a story's commit.
func (w *work) message() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Story %s: %s\n\nOf %s.", w.p.ID, core.OneLine(w.p.Title), w.rec.Name)
	if len(w.rec.Verify) > 0 {
		b.WriteString(" Verified by:")
	}
	b.WriteString("\n")
	for _, command := range w.rec.Verify {
		fmt.Fprintf(&b, "- %s\n", core.OneLine(command))
	}
	fmt.Fprintf(&b, "\n%s: %s\n%s: %s\n", runTrailer, w.rec.ID, storyTrailer, w.p.ID)
	return b.String()
}

// marked are the lines of an answer that begin with a word, without it.
func marked(answer, word string) (texts []string) {
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
