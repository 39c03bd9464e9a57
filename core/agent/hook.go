package agent

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/agent/payload"
	"cupola/core/term/cells"
)

// Edge is the parsed report of an agent's hook.
type Edge struct {
	// Event is the agent's name for it.
	Event string
	// State, Reason and Notes are the agent's status from this event on.
	State  core.State
	Reason core.Reason
	Notes  []core.Note
	// Asks is the first line of what the user is asked; empty if the agent does not wait, or does not say.
	Asks string
	// Command is the whole command that the agent asks to run, as a shell gets it, and Description what the agent says
	// about it. Command is empty if the agent asks for anything else, or for more than that.
	Command, Description string
	// Session is the agent's own id of its session; empty where it gives none.
	Session string
	// Ends is true if the agent is about to exit.
	Ends bool
	// Ignore is true if the report changes nothing, because its event is unknown or not
	// about states. State is empty then.
	Ignore bool
}

// ErrPayload means that a payload does not have the form that the agent's hooks send.
var ErrPayload = errors.New("not a hook's payload")

// ProvesCommands reports whether an agent of the kind names the command that it asks to run beyond doubt: by protocol,
// or in the report of a hook. Rules that approve commands work for such agents alone.
func (k *Kind) ProvesCommands() bool {
	if k.Launch.Shown() == ByProtocol {
		return true
	}
	hooks, err := k.hooks.read(k)
	return err == nil && slices.ContainsFunc(hooks.edges, func(e edge) bool { return e.Command != "" })
}

// Edge parses a hook's payload, which may have unknown fields and may be truncated. It
// returns ErrPayload if the payload names no event.
func (k *Kind) Edge(report []byte) (Edge, error) {
	hooks, err := k.hooks.read(k)
	if err != nil {
		return Edge{}, err
	}
	if len(hooks.edges) == 0 {
		return Edge{}, fmt.Errorf("%w: %s has no hooks that are known", ErrPayload, k.ID)
	}
	p := payload.Parse(report)
	said := Edge{Event: p.First(hooks.spec.Event), Session: p.First(hooks.spec.Session), Ignore: true}
	if said.Event == "" {
		return Edge{}, fmt.Errorf("%w: it names no event", ErrPayload)
	}
	for i := range hooks.edges {
		rule := &hooks.edges[i]
		if !rule.matches(p, said.Event) {
			continue
		}
		if !rule.Ignore {
			said.State, said.Reason, said.Notes = rule.State, rule.Reason, rule.Notes
			said.Ends, said.Ignore = rule.Ends, false
			if said.State == core.Waiting {
				said.Asks = firstLine(p.First(hooks.spec.Asks))
				said.Command, said.Description = rule.asksToRun(p)
			}
		}
		return said, nil
	}
	return said, nil
}

// mostAsked is the most cells of what is asked that are kept.
const mostAsked = 300

// firstLine is the first line of a text that says something, as it can be shown.
func firstLine(text string) string {
	line, more, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if more != "" {
		line += " …"
	}
	return cells.Cut(cells.Clean(line), mostAsked, "…")
}

// edgeSpec is a claim about an agent and the reports that make it. The first
// that matches a payload decides.
type edgeSpec struct {
	// Event must match the name of the event, as a whole.
	Event string
	// When must match, by the path of a field, the text of its value. A field that
	// is absent, null or an empty list has the empty text.
	When   map[string]string
	State  core.State
	Reason core.Reason
	Notes  []core.Note
	Ends   bool
	// Ignore is set instead of a state.
	Ignore bool
	// Command is the path of the command that the agent asks to run, Description that of what it says about it. Beside
	// names the other fields that the object of the command may have: with any more, the command is not all that is
	// asked for.
	Command, Description string
	Beside               []string
}

// asksToRun returns the whole command that a report asks to run, and what the agent says about it. It returns nothing
// if the report has more, or less, than is known of such reports.
func (e *edgeSpec) asksToRun(p *payload.Payload) (command, description string) {
	if e.Command == "" {
		return "", ""
	}
	object := e.Command[:max(0, strings.LastIndexByte(e.Command, '.'))]
	for _, field := range p.Fields(object) {
		path := object + "." + field
		if path != e.Command && path != e.Description && !slices.Contains(e.Beside, field) {
			return "", ""
		}
	}
	command, is := p.String(e.Command)
	description, said := p.String(e.Description)
	if !is || !said && p.Text(e.Description) != "" || len(command)+len(description) > mostRun {
		return "", ""
	}
	return command, description
}

// mostRun is the most bytes of a command and its description that are kept.
const mostRun = 2000

// edge is an edgeSpec with its patterns.
type edge struct {
	*edgeSpec
	event *regexp.Regexp
	when  map[string]*regexp.Regexp
}

func (e *edge) matches(p *payload.Payload, event string) bool {
	if !e.event.MatchString(event) {
		return false
	}
	for path, pattern := range e.when {
		if !pattern.MatchString(p.Text(path)) {
			return false
		}
	}
	return true
}
