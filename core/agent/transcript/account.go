package transcript

import (
	"encoding/json"
	"errors"
	"slices"
	"time"
)

// ErrNone means that the agent has no transcript.
var ErrNone = errors.New("no transcript")

// Account describes an agent's last turn, as far as a transcript contains it. Unknown values are zero.
type Account struct {
	// Identity says which conversation it is; Path is the file that it was read from.
	Identity
	// Started is when the session began; zero if unknown.
	Started time.Time
	Model   string
	Turn    Turn
	// Earlier is the last turn before it in which the agent said something; records
	// are not read further back for it than for a turn that says something itself.
	Earlier Turn
	Usage   Usage

	// prompts are the prompts that were read, in order, and past the turns before the last.
	prompts []prompt
	past    []Turn
}

// prompt is one of a record.
type prompt struct {
	text string
	at   time.Time
	// turn is the number of turns before the one that it belongs to.
	turn int
}

// Turn holds the events since the last prompt.
type Turn struct {
	// Prompt is the prompt that began it, Began when that was.
	Prompt string
	Began  time.Time
	// Message is the last text of the agent's, At when it was written.
	Message string
	At      time.Time
	// Said are the agent's texts; the last one is Message.
	Said []string
	// Complete is true once the turn has ended with that message; Interrupted if
	// the user stopped it, and Failed is the error that ended it.
	Complete    bool
	Interrupted bool
	Failed      string
	// Tools are the tools called, in order.
	Tools []Tool
}

// Tool is one tool call.
type Tool struct {
	ID   string `json:"-"`
	Name string `json:"name"`
	// Files are the files that the tool changes if it succeeds, for tools that edit files.
	Files []string `json:"-"`
	// Input is its input, as JSON or text, Output its output. Both may be truncated.
	Input  string `json:"input,omitempty"`
	Output string `json:"output,omitempty"`
	// Done is true once it has ended, Failed if it reported a failure.
	Done   bool `json:"done"`
	Failed bool `json:"failed"`
}

// Usage is how much of the context window is used after the last response.
type Usage struct {
	// Tokens is 0 if unknown.
	Tokens int
	// Window is the size of the window in tokens; 0 if unknown.
	Window int
}

// bodyMost bounds what is kept of a tool's input and output, in bytes.
const bodyMost = 8 << 10

func cut(text string) string {
	if len(text) <= bodyMost {
		return text
	}
	end := bodyMost
	for end > 0 && text[end]&0xc0 == 0x80 {
		end--
	}
	return text[:end] + "…"
}

// begin starts a turn.
func (a *Account) begin(text string, at time.Time) {
	if a.Turn.Message != "" {
		a.Earlier = a.Turn
	}
	a.past = append(a.past, a.Turn)
	a.Turn = Turn{Prompt: text, Began: at}
	a.asked(text, at)
}

// asked keeps a prompt of the last turn.
func (a *Account) asked(text string, at time.Time) {
	if text != "" {
		a.prompts = append(a.prompts, prompt{text, at, len(a.past)})
	}
}

// clockSkew is how much older than its sending a prompt's time on record may be: some keep
// whole seconds.
const clockSkew = time.Second

// Took reports whether the transcript contains a prompt that was sent at a time.
func (a *Account) Took(text string, sent time.Time) bool {
	return slices.ContainsFunc(a.prompts, func(p prompt) bool { return p.is(text, sent) })
}

// is reports whether it is a prompt that was sent at a time.
func (p *prompt) is(text string, sent time.Time) bool {
	return (p.at.IsZero() || !p.at.Before(sent.Add(-clockSkew))) && Tells(p.text, text)
}

// TurnOf returns the turn in which the agent worked on a prompt that was sent at a time, the last one if there are
// several. over is true if it has ended, or another one has started. found is false if the part of the transcript
// that was read does not contain the prompt.
func (a *Account) TurnOf(text string, sent time.Time) (turn Turn, over, found bool) {
	for i := range slices.Backward(a.prompts) {
		switch p := &a.prompts[i]; {
		case !p.is(text, sent):
		case p.turn < len(a.past):
			return a.past[p.turn], true, true
		default:
			return a.Turn, a.Turn.Ended(), true
		}
	}
	return Turn{}, false, false
}

// say adds a text of the agent's. A record that repeats it says nothing new.
func (t *Turn) say(text string, at time.Time) {
	if text == "" {
		return
	}
	if len(t.Said) == 0 || t.Said[len(t.Said)-1] != text {
		t.Said = append(t.Said, text)
	}
	t.Message, t.At = text, at
}

// sayMore adds to the last text of the agent's.
func (t *Turn) sayMore(text string, at time.Time) {
	if len(t.Said) == 0 {
		t.say(text, at)
		return
	}
	t.Message, t.At = t.Message+"\n"+text, at
	t.Said[len(t.Said)-1] = t.Message
}

// Turns returns the turns that were read, the oldest first.
func (a *Account) Turns() []Turn {
	var turns []Turn
	for _, turn := range append(a.past[:len(a.past):len(a.past)], a.Turn) {
		if turn.Prompt != "" || turn.Message != "" || turn.Failed != "" {
			turns = append(turns, turn)
		}
	}
	return turns
}

// Ended reports whether the turn has ended.
func (t *Turn) Ended() bool { return t.Complete || t.Interrupted || t.Failed != "" }

// resume begins an ended turn again: the model is asked without a prompt of a user's.
func (t *Turn) resume() { t.Complete, t.Interrupted, t.Failed = false, false, "" }

// call adds a tool call, or completes what is known of one.
func (t *Turn) call(id, name string, input json.RawMessage) {
	tool := Tool{ID: id, Name: name, Input: inputOf(input), Files: filesOf(name, input)}
	if at := t.tool(id); at != nil {
		at.Name, at.Input, at.Files = tool.Name, tool.Input, tool.Files
		return
	}
	t.Complete = false
	t.Tools = append(t.Tools, tool)
}

// answer keeps what a tool answered.
func (t *Turn) answer(id, output string, failed bool) {
	if at := t.tool(id); at != nil {
		at.Output, at.Done, at.Failed = cut(output), true, failed
	}
}

func (t *Turn) tool(id string) *Tool {
	for i := range t.Tools {
		if t.Tools[i].ID == id && id != "" {
			return &t.Tools[i]
		}
	}
	return nil
}
