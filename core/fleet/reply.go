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
	// Session is the agent's own id, Prompt what the message answers, Tools what
	// was called meanwhile; only transcripts have these.
	Session string
	Model   string
	Prompt  string
	Tools   []transcript.Tool
	// Path is the transcript.
	Path string
}

// Replies returns the last message of every agent that a target names: from its
// own record or, where there is none, what its screen shows above the composer.
func (l *launcher) Replies(ctx context.Context, target Target) (_ []Reply, err error) {
	defer func() { err = translate("reply", err) }()
	found, err := recordsOf(ctx, l, target)
	if err != nil {
		return nil, err
	}
	replies := make([]Reply, len(found))
	for i := range found {
		replies[i] = found[i].reply()
	}
	return replies, nil
}

func (r *recorded) reply() Reply {
	reply := Reply{PaneRef: Ref(r.pane), Status: r.pane.Status}
	if r.err == nil && r.told.Turn.Message != "" {
		return r.written(reply)
	}
	reply.Why = "it has said nothing yet"
	if r.err != nil && !errors.Is(r.err, transcript.ErrNone) {
		reply.Why = "its transcript cannot be read: " + r.err.Error()
	}
	if text := r.shown(); text != "" {
		reply.Text, reply.Source = text, FromScreen
		reply.Why = "there is no transcript of it, so this is what its screen shows"
	}
	return reply
}

// written fills a reply from the agent's own record.
func (r *recorded) written(reply Reply) Reply {
	turn := &r.told.Turn
	reply.Text, reply.Source, reply.At = turn.Message, FromTranscript, turn.At
	reply.Session, reply.Model, reply.Prompt, reply.Tools, reply.Path = r.told.Session, r.told.Model, turn.Prompt, turn.Tools, r.told.Path
	reply.Complete = turn.Complete && r.told.Certain
	switch {
	case !r.told.Certain:
		reply.Why = "another agent in that folder may have written it"
	case turn.Interrupted:
		reply.Why = "the turn was interrupted"
	case turn.Failed != "":
		reply.Why = "the turn failed: " + excerpt(turn.Failed)
	case !turn.Complete:
		reply.Why = "the turn has not ended"
	}
	return reply
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
		rows = append(rows, strings.TrimRight(attributes().ReplaceAllString(line, ""), " \t"))
	}
	return strings.Trim(strings.TrimRight(strings.Join(rows, "\n"), "─▄ \n"), "\n")
}
