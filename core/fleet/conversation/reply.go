package conversation

import (
	"context"
	"errors"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent/acp"
	"cupola/core/agent/acp/desk"
	"cupola/core/agent/transcript"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/terminal"
)

// Where a reply or a figure comes from.
const (
	FromTranscript = "transcript"
	FromScreen     = "screen"
	FromProtocol   = "protocol"
	FromEstimate   = "estimate"
)

// Reply is the last message of one agent.
type Reply struct {
	core.PaneRef
	Status core.Status
	Message
	Model string
	// Path is the transcript.
	Path string
}

// Message is the last message of an agent, with its source.
type Message struct {
	Text string `json:"text,omitempty"`
	// Source is FromTranscript, FromScreen, FromProtocol, or empty if there is no message yet.
	Source string `json:"source,omitempty"`
	// Complete is true if the turn has ended and nothing of its last message is
	// missing; Why says what is missing otherwise.
	Complete bool   `json:"complete"`
	Why      string `json:"why,omitempty"`
	// At is when the message was written; zero if unknown.
	At time.Time `json:"at,omitzero"`
	// Certain is false if it is not known which of several conversations is the agent's; Sessions are then all that
	// fit, the likeliest first, and the message is not complete.
	Certain  bool             `json:"certain"`
	Sessions []transcript.Fit `json:"sessions,omitempty"`
	// Prompt is the prompt that the message answers; empty if unknown.
	Prompt string `json:"prompt,omitempty"`
	// SessionID is the agent's own, by which it resumes, Tools what was called meanwhile; only
	// transcripts have these.
	SessionID string            `json:"session_id,omitempty"`
	Tools     []transcript.Tool `json:"tools"`
}

// Replies returns the last message of every agent that a target names: from its transcript, even if that
// contains none yet. Without a transcript it is from the screen, if the screen or the journal shows the
// last prompt; otherwise it is all that the screen shows above the composer.
func (r *Reader) Replies(ctx context.Context, target resolve.Target) (_ []Reply, err error) {
	defer func() { err = fault.Wrap("reply", err) }()
	found, err := r.Read(ctx, r.opts.Resolver.Selector(target))
	if err != nil {
		return nil, err
	}
	if err := r.readHistory(ctx, found); err != nil {
		return nil, err
	}
	replies := make([]Reply, len(found))
	for i := range found {
		if said := found[i].spoken; said != nil {
			replies[i] = said.reply(found[i].Pane)
			continue
		}
		replies[i] = found[i].reply(r.Asked(ctx))
		replies[i].identify(&found[i].Account.Identity)
	}
	return replies, nil
}

// spoken is the state of a conversation by protocol.
type spoken desk.State

// spoken returns what the program of a pane serves of its conversation by protocol; nil if it serves none.
func (r *Reader) spoken(ctx context.Context, pane *core.Pane) *spoken {
	if r.opts.Dir == nil || pane.IsUser() {
		return nil
	}
	state, served := desk.At(ctx, r.opts.Dir.Found(ctx).Conversation(pane.ID))
	if !served {
		return nil
	}
	return (*spoken)(&state)
}

// over reports whether the turns of all prompts that the agent took have ended.
func (s *spoken) over() bool {
	return s.Complete && s.Queued == 0 && s.State != core.Working && s.State != core.Waiting
}

// usage is the usage that the agent reported; the zero value if it reported none.
func (s *spoken) usage() acp.Usage {
	if s == nil || s.Usage == nil {
		return acp.Usage{}
	}
	return *s.Usage
}

// reply is the last message.
func (s *spoken) reply(pane *core.Pane) Reply {
	reply := Reply{PaneRef: pane.Ref(), Status: pane.Status, Message: Message{
		Text: strings.TrimSpace(s.Last), Complete: s.Complete && s.Last != "", Certain: true, SessionID: s.Session,
	}}
	switch {
	case s.Last == "":
		reply.Why = "it has said nothing yet"
	case !s.Complete:
		reply.Why = "the turn has not ended"
	}
	if s.Last != "" {
		reply.Source = FromProtocol
	}
	return reply
}

// identify sets whether the message is certain to be the agent's own; if it is not, it is not complete either.
func (r *Reply) identify(own *transcript.Identity) {
	r.Certain, r.Sessions = len(own.Fits) == 0, own.Fits
	if !r.Certain && r.Complete {
		r.Complete, r.Why = false, "which of several conversations is its own is not known"
	}
}

func (c *Conversation) reply(asked PromptsOf) Reply {
	reply := Reply{PaneRef: c.Pane.Ref(), Status: c.Pane.Status}
	text := c.shown()
	if c.Err != nil && c.Account.New && !c.ended() {
		reply.Why = "it has said nothing yet"
		return reply
	}
	// What is left on the screen of an agent that has ended may be a shell's, so that its
	// record says more, even where another may have written it.
	if answered := c.Account.Turn.Message != "" ||
		c.Account.Earlier.Message != ""; c.Err == nil && (c.Account.Certain ||
		answered && (text == "" || c.ended() || c.Account.Leaving)) {
		return c.fromTranscript(reply, asked)
	}
	why := "there is no transcript of it"
	switch {
	case c.Err != nil && !errors.Is(c.Err, transcript.ErrNone):
		why = "its transcript cannot be read: " + c.Err.Error()
	case text == "" && c.ended() && c.Err != nil:
		why = "the agent has ended, and neither a transcript nor its screen shows what it said"
	case text == "":
		why = "it has said nothing yet"
	case c.Err == nil:
		why = "another agent in its folder may have written the transcript, or it has gone on in another one"
	}
	if text != "" {
		return c.fromScreen(reply, text, why, asked)
	}
	reply.Why = why
	return reply
}

// ended reports whether the agent does not run any more.
func (c *Conversation) ended() bool { return c.Pane.Status.State == core.Exited || c.Pane.Process.Dead }

// fromTranscript fills a reply from the agent's own record, with the previous turn while the last one has no
// message.
func (c *Conversation) fromTranscript(reply Reply, asked PromptsOf) Reply {
	last := &c.Account.Turn
	turn := last
	if last.Message == "" && c.Account.Earlier.Message != "" {
		turn = &c.Account.Earlier
	}
	if turn.Message != "" {
		reply.Source = FromTranscript
	}
	reply.Text, reply.At, reply.Prompt, reply.Tools = turn.Message, turn.At, turn.Prompt, turn.Tools
	reply.SessionID, reply.Model, reply.Path = c.Account.Session, c.Account.Model, c.Account.Path
	if reply.Why = c.missing(turn); reply.Why == "" && c.unanswered(asked(c.Pane, c.Pane.Agent.Started)) {
		reply.Why = "the last prompt is not on its record yet: this is its message before that"
	}
	reply.Complete = reply.Why == ""
	return reply
}

// unanswered reports whether the record ends before the last prompt that the agent took.
func (c *Conversation) unanswered(asked []core.TakenPrompt) bool {
	if len(asked) == 0 || !c.Keeps(asked[0].Text) {
		return false
	}
	last := &asked[0]
	return !c.Account.Took(last.Text, last.Sent) && c.Account.Turn.Began.Before(last.Sent)
}

// missing says why a turn's message is not the whole answer to the last prompt;
// empty if it is.
func (c *Conversation) missing(shown *transcript.Turn) string {
	last, status := &c.Account.Turn, &c.Pane.Status
	why := ""
	switch {
	case c.Account.Leaving:
		return "it was ordered to start another conversation, and nothing shows yet that it did: " +
			"this is its message before that"
	case !c.Account.Certain:
		return "another agent in that folder may have written it, or this one has continued in another"
	case last.Interrupted:
		why = "the turn was interrupted"
	case last.Failed != "":
		why = "the turn failed: " + core.Excerpt(last.Failed)
	case !last.Complete && last.Message == "" && last.Began.IsZero() && last.Prompt == "":
		return "it has said nothing yet"
	case !last.Complete && c.ended():
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

// shown returns the text of the screen above the composer, or all of it without one.
func (c *Conversation) shown() string {
	if c.screen == nil {
		return ""
	}
	lines := c.screen.Screen.Lines
	lines = lines[max(0, len(lines)-c.screen.Screen.Visible):]
	if c.screen.Reading != nil {
		if composer, found := c.screen.Reading.Composer(); found {
			first := composer.Top - (len(c.screen.Screen.Lines) - len(lines))
			lines = lines[:max(0, min(first, len(lines)))]
		}
	}
	rows := make([]string, 0, len(lines))
	for _, line := range lines {
		if row, says := c.replyLine(line); says {
			rows = append(rows, row)
		}
	}
	return strings.Trim(strings.TrimRight(strings.Join(rows, "\n"), "─▄ \n"), "\n")
}

// replyLine returns the words of a line of the screen; it reports false for the interface of
// the agent's program.
func (c *Conversation) replyLine(line string) (string, bool) {
	line = strings.TrimRight(terminal.Attributes().ReplaceAllString(line, ""), " \t")
	if c.screen.Reading == nil {
		return line, true
	}
	return c.Kind.Words(line)
}
