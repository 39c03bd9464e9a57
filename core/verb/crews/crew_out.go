package crews

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/record/store"
	"cupola/core/run/crew"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// CrewOut is a crew with its messages to the user.
type CrewOut struct {
	*crew.Crew
	// Outcome are the messages to the user, in their order.
	Outcome []UserMessage `json:"told_user" empty:"no message to the user"`
	// CostUSD is the cost of all agents; CostKnown is false if some cost is not known.
	CostUSD   float64 `json:"cost_usd"`
	CostKnown bool    `json:"cost_known"`
	// Events are all that happened, where they were asked for.
	Events []logRow `json:"events,omitempty"`
	// Waiting counts the messages that were not delivered.
	Waiting    int  `json:"waiting_count"`
	Background bool `json:"background,omitempty"`
	DryRun     bool `json:"dry_run"`
	// Planned says what each agent would be, with --dry-run.
	Planned []PlannedAgent `json:"planned,omitempty"`

	shown bool
	// carried is true if this call carried the crew, which had cost before dollars until then.
	carried bool
	before  float64
}

// UserMessage is one message to the user.
type UserMessage struct {
	_    struct{}  `minimal:"from,text" standard:"from,turn,at,text,notes_text"`
	From string    `json:"from" table:"AGENT,strong"`
	Turn int       `json:"turn" table:"TURN"`
	At   time.Time `json:"at"`
	Text string    `json:"text" table:"TEXT,flex"`
	// Notes are the agent's texts in the same answer without an address.
	Notes string `json:"notes_text,omitempty"`
}

// PlannedAgent is an agent as it would be asked.
type PlannedAgent struct {
	_       struct{} `minimal:"name,backend" standard:"name,backend,model,dir,guarantee"`
	Name    string   `json:"name" table:"AGENT,strong"`
	Backend string   `json:"backend" table:"BACKEND"`
	Model   string   `json:"model,omitempty" table:"MODEL,dim"`
	Dir     string   `json:"dir"`
	// Branch is the branch of its own worktree; absent without one. Pane is its pane; absent without a terminal.
	Branch    string `json:"branch,omitempty"`
	Pane      string `json:"pane,omitempty" names:"session"`
	Guarantee string `json:"guarantee" table:"GUARANTEE,flex"`
	Prompt    string `json:"prompt"`
}

// Spent returns the cost of the call: a crew that is only shown cost nothing now.
func (o CrewOut) Spent() (usd float64, known bool) {
	return verb.Rounded(max(0, o.CostUSD-o.before), 4), o.CostKnown && o.carried
}

// outOf is the answer about a crew.
func outOf(ctx context.Context, env *verb.Env, c *crew.Crew) (CrewOut, error) {
	crews, err := read(ctx, env)
	if err != nil {
		return CrewOut{Crew: c, Outcome: []UserMessage{}}, err
	}
	events, err := crews.Events(ctx, c.ID, 0)
	if err != nil {
		return CrewOut{Crew: c, Outcome: []UserMessage{}}, err
	}
	return outWith(ctx, crews, c, events)
}

// outWith is the same where the events are known.
func outWith(ctx context.Context, crews store.Crews, c *crew.Crew, events []crew.Event) (CrewOut, error) {
	out := CrewOut{Crew: c, Outcome: outcome(events)}
	out.CostUSD, out.CostKnown = c.CostUSD()
	out.CostUSD = verb.Rounded(out.CostUSD, 4)
	waiting, err := crews.Deliveries(ctx, c.ID, true)
	out.Waiting = len(waiting)
	return out, err
}

// outcome returns the messages to the user, each with the notes of the same answer.
func outcome(events []crew.Event) []UserMessage {
	messages := []UserMessage{}
	for i := range events {
		e := &events[i]
		if e.Type == crew.Message && e.To == crew.User {
			messages = append(messages, UserMessage{From: e.From, Turn: e.Turn, At: e.At, Text: e.Text})
		}
		if e.Type != crew.Note {
			continue
		}
		// They belong to the answer, and come with the last of its messages.
		if last := len(messages) - 1; last >= 0 && messages[last].From == e.From && messages[last].Turn == e.Turn {
			messages[last].Notes = e.Text
		}
	}
	return messages
}

// failure is the error of a crew that failed.
func failure(out CrewOut) error {
	if out.State != crew.Failed {
		return nil
	}
	e := core.Errorf(cmp.Or(out.ErrorCode, core.BackendFailed), "the crew %s failed: %s", out.ID,
		cmp.Or(out.Error, string(out.Reason)))
	e.Details, e.Remedies, e.Subject.Run = out, []core.Remedy{core.RemedyShowRun, core.RemedyResumeRun}, out.ID
	return e
}

// Hints name the reason why the crew ended early, and the messages that wait.
func (o CrewOut) Hints() *registry.Hints {
	h := &registry.Hints{}
	switch o.Reason {
	case crew.MaxTurns, crew.Timeout, crew.PingPong, crew.NoProgress, crew.Cost:
		h.Warnings = append(h.Warnings, fmt.Sprintf("the guardrail %s ended the crew; messages that wait: %d", o.Reason,
			o.Waiting))
	}
	for i := range o.Members {
		if m := &o.Members[i]; m.Status == crew.Dead {
			h.Warnings = append(h.Warnings, m.Name+" failed: "+m.Error)
		}
	}
	if !o.DryRun && !o.Background && o.State.Ended() && len(o.Outcome) == 0 {
		h.Warnings = append(h.Warnings, "no agent wrote to the user; the notes are on record")
	}
	if len(h.Warnings) == 0 {
		return nil
	}
	return h
}

// anyDead reports whether an agent failed, so that a resumed run would ask it again.
func (o CrewOut) anyDead() bool {
	return slices.ContainsFunc(o.Members, func(m crew.Member) bool { return m.Status == crew.Dead })
}

// Next returns the commands to follow the crew, or to resume it.
func (o CrewOut) Next() []registry.Action {
	switch {
	case o.DryRun || o.ID == "":
		return nil
	case !o.State.Ended() || o.Background:
		return []registry.Action{
			verb.NextAction("wait", "Wait until it ends", "crew-wait", o.ID),
			verb.NextAction("follow", "See it talk", "crew-replay", o.ID, "--follow"),
			verb.NextAction("stop", "Stop it", "crew-stop", o.ID),
		}
	case o.Waiting > 0 || o.Reason == crew.Timeout || o.anyDead() || o.State == crew.Failed ||
		o.State == crew.Interrupted || o.State == crew.Stopped:
		return []registry.Action{verb.NextAction("resume", "Continue where it ended", "crew-resume", o.ID)}
	case o.Events != nil: // all that was said is in the answer
		return nil
	}
	return []registry.Action{verb.NextAction("replay", "Read all that was said", "crew-replay", o.ID)}
}

// Lead leaves the hint of a failure as it is.
func (o CrewOut) Lead() string { return "" }

// Began is the id of a crew that runs in the background; empty for others.
func (o CrewOut) Began() string {
	if !o.Background {
		return ""
	}
	return o.ID
}

// Report shows a crew to a person.
func (o CrewOut) Report() *report.Report {
	r := &report.Report{}
	switch {
	case o.DryRun:
		o.reportPlan(r)
		return r
	case o.Background:
		r.AddLine(report.Text("The crew "), report.Toned(report.Strong, o.ID), report.Text(" works in the background."))
		return r
	case !o.shown:
		reportHeader(r, o.Crew)
		r.AddTable("Agents", report.TableOf(o.Members, o.Started, ""))
	}
	o.reportOutcome(r)
	o.reportEnd(r)
	return r
}

func (o CrewOut) reportPlan(r *report.Report) {
	r.AddFacts(10, [][2]string{
		{"task", o.Prompt},
		{"directory", o.Dir},
		{"sandbox", o.Sandbox},
		{"stage", string(o.Stage)},
		{"limits", fmt.Sprintf("%d turns, %s, %s for one answer", o.Limits.MaxTurns, o.Limits.Timeout,
			o.Limits.TurnTimeout)},
	}...)
	r.AddTable("Agents", report.TableOf(o.Planned, o.Started, ""))
	if len(o.Planned) > 0 {
		r.Add(report.Block{Heading: "What " + o.Planned[0].Name + " would get", Quote: o.Planned[0].Prompt + "\n"})
	}
}

// reportOutcome shows what was written to the user.
func (o CrewOut) reportOutcome(r *report.Report) {
	for _, message := range o.Outcome {
		text := message.Text
		if message.Notes != "" {
			text += "\n\nNotes:\n" + message.Notes
		}
		r.Add(report.Block{Heading: fmt.Sprintf("%s, turn %d", message.From, message.Turn), Quote: text + "\n"})
	}
	if len(o.Outcome) == 0 && o.State.Ended() {
		r.AddLine(report.Toned(report.Dim, "No agent wrote to the user."))
		r.Next = append(r.Next, report.Tip{Command: "cupola crew replay " + o.ID, Does: "shows all that was said"})
	}
}

func (o CrewOut) reportEnd(r *report.Report) {
	if !o.State.Ended() {
		return
	}
	r.AddLine(report.Text(fmt.Sprintf("Turns: %d  |  Elapsed: %.1fs  |  Cost: %s  |  %s: %s", max(0, o.Turn),
		float64(o.ElapsedMS)/1000, verb.CostText(o.CostUSD, o.CostKnown), o.State,
		cmp.Or(string(o.Reason), "it was cut off"))))
}

// reportHeader shows what a crew is.
func reportHeader(r *report.Report, c *crew.Crew) {
	members := core.Map(c.Members, func(m crew.Member) string { return m.Name + "(" + m.Backend + ")" })
	r.AddFacts(9, [][2]string{
		{"Crew", c.ID},
		{"State", string(c.State)},
		{"Began", c.Started.Local().Format("2006-01-02 15:04:05 -0700")},
		{"Task", c.Prompt},
		{"Agents", strings.Join(members, ", ")},
		{"Session", c.Session},
		{"Error", c.Error},
	}...)
}
