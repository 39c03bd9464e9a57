package screen

import (
	"fmt"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/git/forge"
	"cupola/core/term/cells"
	"cupola/core/verb"
	"cupola/theme"
	"cupola/tui/widget"
)

// Work describes the work of an agent. The zero value is unknown.
type Work struct {
	// Prompt is the last one that was sent to it.
	Prompt string
	// Root is the working tree that it is in, and Branch what is checked out there; both may be empty.
	Root, Branch string
	// Worktree is true if the tree is a worktree that was made for the agent.
	Worktree bool
	// Added and Deleted count the lines that changed in the tree since its last commit or, in a worktree of its own,
	// since that left its base.
	Added, Deleted int
	// ContextUsed is how much of its context is used, in percent; 0 if unknown.
	ContextUsed int
	// CostUSD is its cost of today; 0 if unknown.
	CostUSD float64
	// Pull is the pull request of the branch; nil if there is none, or as long as that is not known.
	Pull *forge.Pull
}

// Offers are the values that forms offer.
type Offers struct {
	// Kinds are the agents that are installed, Presets the names of saved sessions, Folders those that were used
	// lately, and Prompts the newest ones that were sent and then those that are saved.
	Kinds, Presets, Folders, Prompts []string
	// Modes are the modes of at least one of Kinds, and Profiles the profiles' names in the settings.
	Modes, Profiles []string
	// Both are the installed kinds that can be shown by their screen and by protocol.
	Both []string
	// Sandboxes are the names of the sandboxes that can hold an agent here.
	Sandboxes []string
	// Missing are the agents that are not installed.
	Missing []Missing
	// Ran are the sessions that can be started again, since their terminal server was lost.
	Ran []Ran
}

// Ran is a session that ran until its terminal server ended.
type Ran struct {
	Session, Dir string
	// Agents are the names of its agents, and Panes counts these and the other panes.
	Agents []string
	Panes  int
	// Until is when it was seen last.
	Until time.Time
}

// Holds names what the session held: "cc_1, cod_1 and 1 more pane".
func (r *Ran) Holds() string {
	others := r.Panes - len(r.Agents)
	switch {
	case len(r.Agents) == 0:
		return Count(others, "pane")
	case others == 0:
		return strings.Join(r.Agents, ", ")
	}
	return fmt.Sprintf("%s and %s", strings.Join(r.Agents, ", "), Count(others, "other pane"))
}

// RanUntil says how many agents ran until when; empty if none can be started again.
func (o *Offers) RanUntil(now time.Time) string {
	agents, until := 0, time.Time{}
	for i := range o.Ran {
		if agents += len(o.Ran[i].Agents); o.Ran[i].Until.After(until) {
			until = o.Ran[i].Until
		}
	}
	if len(o.Ran) == 0 {
		return ""
	}
	return verb.RanUntil(agents, len(o.Ran), until, now)
}

// Missing is a kind of agent that is not installed.
type Missing struct {
	Kind string
	// Install is the command that installs it.
	Install string
}

// WorkQuestion asks what is known of the work of all agents; AllWork answers it.
type WorkQuestion struct{}

// AllWork is the work of all agents, by pane, and the values that forms offer.
type AllWork struct {
	Of     map[core.PaneID]Work
	Offers Offers
}

var allWork = &Slot[AllWork]{}

// Offers returns the values that forms offer now.
func (w *World) Offers() *Offers { return &allWork.In(w).Value.Offers }

// Works returns what is known of the work of all agents.
func (w *World) Works() map[core.PaneID]Work { return allWork.In(w).Value.Of }

// work returns the work of an agent.
func (w *World) work(pane core.PaneID) Work { return allWork.In(w).Value.Of[pane] }

// WantWork asks what is known of the agents' work, and what forms can offer: after each change of the picture and, at
// longer intervals, as long as one of them works. Of a server that has ended or is silent nothing new is known.
func (w *World) WantWork() Want {
	switch snap := w.Snapshot; {
	case snap == nil, !snap.SilentSince.IsZero():
		return Want{Slot: allWork}
	case !snap.EngineUp:
		return Want{Slot: allWork, Question: WorkQuestion{}}
	default:
		return Want{
			Slot: allWork, Question: WorkQuestion{}, Version: snap.Revision,
			Follow: snap.Counts().ByState[core.Working] > 0,
		}
	}
}

// contextLow is the part of a context from which on it is shown louder, in percent.
const contextLow = 80

// Does says what an agent is about, behind or below its label: what its state knows, with the lead of that if led, then
// what it was asked last, else its title; nil if nothing is known.
func (w *World) Does(pane *core.Pane, led bool) widget.Line {
	if pane.IsUser() {
		return nil
	}
	var line widget.Line
	if label := cells.Clean(pane.Agent.Label); label != "" {
		line = widget.Styled(theme.Accent, "#"+label+" ")
	}
	switch mode := pane.Agent.Mode; {
	case mode.Dangerous():
		line = append(line, widget.Span{Token: theme.Danger, Text: "!" + string(mode) + " "})
	case mode != "":
		line = append(line, widget.Span{Token: theme.Dim, Text: string(mode) + " "})
	}
	if held := cells.Clean(pane.Agent.Sandbox); held != "" {
		line = append(line, widget.Span{Token: theme.Dim, Text: "[" + held + "] "})
	}
	if queued := core.QueuedWords(pane.Agent.Queued); queued != "" {
		line = append(line, widget.Span{Token: theme.Accent, Text: "[" + queued + "] "})
	}
	if rules := pane.Agent.RulesWords(w.Now); rules != "" {
		line = append(line, widget.Span{Token: theme.Warn, Text: "[" + rules + "] "})
	}
	why := w.Why(pane)
	said := why.Brief()
	if led {
		said = why.String()
	}
	if said == BriefWord(pane) {
		said = "" // the row has a column for it
	}
	if said = cells.Clean(OneLine(said, mostDoes)); said != "" {
		line = append(line, widget.Span{Token: theme.State(pane.Status.Shown()), Text: said})
	}
	topic := w.work(pane.ID).Prompt
	if topic == "" {
		topic = pane.Topic(w.Host)
	}
	if topic = cells.Clean(OneLine(topic, mostDoes)); topic != "" {
		if said != "" {
			topic = " " + w.Theme.Glyphs().Dot + " " + topic
		}
		line = append(line, widget.Span{Token: theme.Dim, Text: topic})
	}
	return line
}

// leastCost is the least cost that is shown, in dollars.
const leastCost = 0.005

// ownBranches begins the names of branches that were made for agents; mostBranch is how much of a name is shown, in
// cells.
const (
	ownBranches = "cupola/"
	mostBranch  = 24
)

// mostDoes is how much of a prompt a row can show, in bytes.
const mostDoes = 600

// Facts returns further facts of an agent's work, as the columns are chosen: its changes, how full its context is, its
// pull request, its cost of today, and its branch.
func (w *World) Facts(pane *core.Pane) []widget.Line {
	work := w.work(pane.ID)
	if pane.IsUser() {
		return nil
	}
	var facts []widget.Line
	for _, column := range w.Order.columns() {
		if fact := w.fact(column, &work); fact != nil {
			facts = append(facts, fact)
		}
	}
	return facts
}

// fact returns the text of a column about an agent's work; nil for none.
func (w *World) fact(column string, work *Work) widget.Line {
	switch branch := strings.TrimPrefix(cells.Clean(work.Branch), ownBranches); {
	case column == "lines" && (work.Added > 0 || work.Deleted > 0):
		return Counts(work.Added, work.Deleted)
	case column == "context" && work.ContextUsed >= contextLow:
		return widget.Styled(theme.Warn, fmt.Sprintf("%d%% left", 100-work.ContextUsed))
	case column == "context" && work.ContextUsed > 0:
		return widget.Styled(theme.Dim, fmt.Sprintf("%d%% left", 100-work.ContextUsed))
	case column == "pr" && work.Pull != nil:
		return PullOf(w.Theme, work.Pull)
	case column == "cost" && work.CostUSD >= leastCost:
		return widget.Styled(theme.Dim, fmt.Sprintf("$%.2f", work.CostUSD))
	case column == "branch" && branch != "":
		return widget.Styled(theme.Dim, cells.Cut(branch, mostBranch, w.Theme.Glyphs().Ellipsis))
	}
	return nil
}

// PullAt returns the pull request of the branch of a working tree; nil if none is known.
func (w *World) PullAt(root string) *forge.Pull {
	for _, work := range allWork.In(w).Value.Of {
		if work.Root == root && work.Pull != nil {
			return work.Pull
		}
	}
	return nil
}

// PullOf is the number of a pull request with the sign of its checks, or its state where it is not open.
func PullOf(t *theme.Theme, pull *forge.Pull) widget.Line {
	token, sign := theme.Dim, ""
	switch {
	case pull.State != forge.PullOpen && pull.State != forge.PullDraft:
		sign = " " + string(pull.State)
	case t.Accessible() && pull.Checks != "":
		sign = ", checks " + string(pull.Checks)
	case pull.Checks == forge.ChecksPassed:
		token, sign = theme.Good, " "+t.Glyph(core.Done)
	case pull.Checks == forge.ChecksFailed:
		token, sign = theme.Danger, " "+t.Glyph(core.Errored)
	case pull.Checks == forge.ChecksPending:
		token, sign = theme.Accent, " "+t.Glyph(core.Working)
	}
	if pull.State == forge.PullDraft {
		sign += " draft"
	}
	return widget.Styled(token, pull.String()+sign)
}

// Counts says how many lines were added and deleted.
func Counts(added, deleted int) widget.Line {
	return widget.Line{
		{Token: theme.Good, Text: fmt.Sprintf("+%d", added)}, {Token: theme.Danger, Text: fmt.Sprintf(" -%d", deleted)},
	}
}
