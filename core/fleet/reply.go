package fleet

import (
	"context"
	"errors"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/transcript"
)

// Where a reply or a figure comes from.
const (
	FromTranscript = "transcript"
	FromScreen     = "screen"
	FromEstimate   = "estimate"
)

// Reply is the last message of one agent.
type Reply struct {
	PaneRef
	Status core.Status
	Text   string
	// Source is FromTranscript, FromScreen, or empty where nothing was said yet.
	Source string
	// Complete is true if the turn has ended and nothing of its last message is
	// missing; Why says what is missing otherwise.
	Complete bool
	Why      string
	// At is when the message was written; zero where that is not known.
	At time.Time
	// Prompt is what the message answers.
	Prompt string
	// Session is the agent's own id, Tools what was called meanwhile; only
	// transcripts have these.
	Session string
	Model   string
	Tools   []transcript.Tool
	// Path is the transcript.
	Path string
}

// Replies returns the last message of every agent that a target names: from its
// own record, also where that holds none yet, or without a record, from its screen,
// where that shows which prompt was the last, or the journal tells. Where nobody knows,
// the reply is all that the screen shows above the composer.
func (l *launcher) Replies(ctx context.Context, target Target) (_ []Reply, err error) {
	defer func() { err = translate("reply", err) }()
	found, err := recordsOf(ctx, l, l.of(target))
	if err != nil {
		return nil, err
	}
	if err := unroll(ctx, l, found); err != nil {
		return nil, err
	}
	replies := make([]Reply, len(found))
	for i := range found {
		replies[i] = found[i].reply(asked(ctx, &l.observer))
	}
	return replies, nil
}

func (r *recorded) reply(asked promptsOf) Reply {
	reply := Reply{PaneRef: Ref(r.pane), Status: r.pane.Status}
	text := r.shown()
	// What is left on the screen of an agent that has ended may be a shell's, so that its
	// record tells more, even where another may have written it.
	if told := r.told.Turn.Message != "" || r.told.Earlier.Message != ""; r.err == nil && (r.told.Certain || told && (text == "" || r.ended())) {
		return r.written(reply)
	}
	why := "there is no transcript of it"
	switch {
	case r.err != nil && !errors.Is(r.err, transcript.ErrNone):
		why = "its transcript cannot be read: " + r.err.Error()
	case text == "" && r.ended() && r.err != nil:
		why = "the agent has ended, and neither a transcript nor its screen tells what it said"
	case text == "":
		why = "it has said nothing yet"
	case r.err == nil:
		why = "another agent in its folder may have written the transcript"
	}
	if text != "" {
		return r.drawn(reply, text, why, asked)
	}
	reply.Why = why
	return reply
}

// ended reports whether the agent does not run any more.
func (r *recorded) ended() bool { return r.pane.Status.State == core.Exited || r.pane.Process.Dead }

// written fills a reply from the agent's own record: while the last turn has no
// message, with that of the turn before.
func (r *recorded) written(reply Reply) Reply {
	last := &r.told.Turn
	turn := last
	if last.Message == "" && r.told.Earlier.Message != "" {
		turn = &r.told.Earlier
	}
	if turn.Message != "" {
		reply.Source = FromTranscript
	}
	reply.Text, reply.At, reply.Session, reply.Model, reply.Path = turn.Message, turn.At, r.told.Session, r.told.Model, r.told.Path
	reply.Prompt, reply.Tools = turn.Prompt, turn.Tools
	reply.Why = r.missing(turn)
	reply.Complete = reply.Why == ""
	return reply
}

// missing says why a turn's message is not the whole answer to the last prompt;
// empty if it is.
func (r *recorded) missing(shown *transcript.Turn) string {
	last, status := &r.told.Turn, &r.pane.Status
	why := ""
	switch {
	case !r.told.Certain:
		return "another agent in that folder may have written it"
	case last.Interrupted:
		why = "the turn was interrupted"
	case last.Failed != "":
		why = "the turn failed: " + excerpt(last.Failed)
	case !last.Complete && last.Message == "" && last.Began.IsZero() && last.Prompt == "":
		return "it has said nothing yet"
	case !last.Complete && r.ended():
		why = "the agent ended before its turn did"
	case !last.Complete:
		why = "the turn has not ended"
	case status.State == core.Working && !status.Has(core.NoteSubagents):
		return "the agent is working on a later prompt, and this is its last message before that"
	}
	switch {
	case last.Message != "" || why == "":
	case shown == last:
		why += ", and it has said nothing in it"
	default:
		why += ", and it has said nothing in it: this is its message of the turn before"
	}
	return why
}

// shown is what the screen shows above the composer, or all of it without one.
func (r *recorded) shown() string {
	if r.screen == nil {
		return ""
	}
	lines := r.screen.screen.Lines
	lines = lines[max(0, len(lines)-r.screen.screen.Visible):]
	if r.screen.reading != nil {
		if composer, found := r.screen.reading.Composer(); found {
			first := composer.Top - (len(r.screen.screen.Lines) - len(lines))
			lines = lines[:max(0, min(first, len(lines)))]
		}
	}
	rows := make([]string, 0, len(lines))
	for _, line := range lines {
		if row, says := r.says(line); says {
			rows = append(rows, row)
		}
	}
	return strings.Trim(strings.TrimRight(strings.Join(rows, "\n"), "─▄ \n"), "\n")
}

// says returns the words of a line of the screen; it reports false for the interface of
// the agent's program.
func (r *recorded) says(line string) (string, bool) {
	line = strings.TrimRight(attributes().ReplaceAllString(line, ""), " \t")
	if r.screen.reading == nil {
		return line, true
	}
	return r.kind.Words(line)
}
