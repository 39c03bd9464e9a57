package crews

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/crew"
	"cupola/core/report"
	"cupola/core/store"
	"cupola/robot/command/verb"
	"cupola/robot/registry"
)

type crewSayIn struct {
	ofCrew
	Text string `arg:"2" required:"true" help:"What to say; lines that begin with @NAME: go to that agent, without one all get it; - reads standard input"`
}

type crewSayOut struct {
	ID string `json:"id"`
	// Messages are what was put on record, to be delivered in the next turn.
	Messages []saidRow  `json:"messages"`
	State    crew.State `json:"state"`
}

// saidRow is one message of the user.
type saidRow struct {
	To   string `json:"to" table:"TO,strong"`
	Text string `json:"text" table:"TEXT,oneline,flex"`
}

var crewSay = registry.Define(registry.Spec[*verb.Env, crewSayIn, crewSayOut]{
	Name: "crew-say", Group: verb.GroupCrew, Short: "Say something to agents of a crew; they hear it in their next turn",
	Long:  "A crew that has ended hears it once it goes on: 'crew resume'.",
	Scope: registry.Resource, Effect: registry.Writes, List: "messages",
	Examples: []string{"k3x9ab2 '@ada.reviewer: look at the tests too'"},
	Errors:   codes, Run: runCrewSay,
}).SeeAlso("crew-resume", "crew-replay")

func runCrewSay(ctx context.Context, env *verb.Env, in crewSayIn) (crewSayOut, error) {
	text := in.Text
	if text == "-" {
		read, err := env.Stdin()
		if err != nil {
			return crewSayOut{}, err
		}
		text = read
	}
	o, err := OrchestratorOf(ctx, env)
	if err != nil {
		return crewSayOut{}, err
	}
	events, err := o.Say(ctx, in.Crew, text)
	if err != nil {
		return crewSayOut{}, err
	}
	out := crewSayOut{ID: in.Crew}
	for i := range events {
		out.Messages = append(out.Messages, saidRow{events[i].To, events[i].Text})
	}
	c, err := o.Crews.Load(ctx, in.Crew)
	if err != nil {
		return out, err
	}
	o.Book.Judge(c)
	out.State = c.State
	return out, nil
}

// Next says how an ended crew hears it.
func (o crewSayOut) Next() []registry.Action {
	if !o.State.Ended() {
		return []registry.Action{verb.NextAction("follow", "See what they answer", "crew", "replay", o.ID, "--follow")}
	}
	return []registry.Action{verb.NextAction("resume", "Let the crew hear it", "crew", "resume", o.ID)}
}

// Report shows a person who will hear it.
func (o crewSayOut) Report() *report.Report {
	r := &report.Report{}
	when := "in the next turn"
	if o.State.Ended() {
		when = "once the crew goes on"
	}
	for _, m := range o.Messages {
		r.AddLine(report.Toned(report.Strong, m.To), report.Text(" will hear it "+when+"."))
	}
	return r
}

type crewPauseIn struct{ ofCrew }

type crewStateOut struct {
	ID     string      `json:"id"`
	State  crew.State  `json:"state"`
	Turn   int         `json:"turn"`
	Reason crew.Reason `json:"reason,omitempty"`
	// Asked is what was asked of the crew and happens at the end of its turn.
	Asked string `json:"asked,omitempty"`
}

var crewPause = registry.Define(registry.Spec[*verb.Env, crewPauseIn, crewStateOut]{
	Name: "crew-pause", Group: verb.GroupCrew, Short: "Pause a crew at the end of its turn",
	Long:  "Agents that are being asked finish their answers. The time of a pause does not count.",
	Scope: registry.Resource, Effect: registry.Writes,
	Examples: []string{"k3x9ab2"},
	Errors:   append([]core.Code{core.Conflict}, codes...),
	Run: func(ctx context.Context, env *verb.Env, in crewPauseIn) (crewStateOut, error) {
		o, err := OrchestratorOf(ctx, env)
		if err != nil {
			return crewStateOut{}, err
		}
		c, err := o.Crews.Load(ctx, in.Crew)
		if err != nil {
			return crewStateOut{}, err
		}
		if o.Book.Judge(c); c.State.Ended() {
			return crewStateOut{}, ended(c)
		}
		out := crewStateOut{ID: c.ID, State: c.State, Turn: max(0, c.Turn), Asked: string(store.PauseCrew)}
		return out, o.Crews.Ask(ctx, c.ID, store.PauseCrew)
	},
}).SeeAlso("crew-resume", "crew-stop")

// ended is the error of a crew that works no more.
func ended(c *crew.Crew) error {
	return &core.Error{
		Code: core.Conflict, Message: "the crew " + c.ID + " does not work: it is " + string(c.State),
		Remedies: []core.Remedy{core.RemedyResumeCrew, core.RemedyShowCrew}, Subject: core.Subject{Run: c.ID},
	}
}

// Report shows a person what becomes of the crew.
func (o crewStateOut) Report() *report.Report {
	if o.Asked != "" && o.State == crew.Running {
		return report.Say(report.Text("The crew "), report.Toned(report.Strong, o.ID),
			report.Text(" pauses at the end of its turn."))
	}
	return report.Say(report.Text("The crew "), report.Toned(report.Strong, o.ID), report.Text(" is "+string(o.State)+"."))
}

type crewStopIn struct {
	ofCrew
	Timeout time.Duration `default:"30s" help:"How long to wait for it to end"`
}

var crewStop = registry.Define(registry.Spec[*verb.Env, crewStopIn, crewStateOut]{
	Name: "crew-stop", Group: verb.GroupCrew, Short: "Stop a crew, and the agents that it asks",
	Long:  "What was said stays on record. 'crew resume' asks again those that were cut off.",
	Scope: registry.Resource, Effect: registry.Writes,
	Examples: []string{"k3x9ab2"},
	Errors:   append([]core.Code{core.Conflict, core.Timeout}, codes...),
	Run: func(ctx context.Context, env *verb.Env, in crewStopIn) (crewStateOut, error) {
		o, err := OrchestratorOf(ctx, env)
		if err != nil {
			return crewStateOut{}, err
		}
		limited, stop := verb.Within(ctx, in.Timeout)
		defer stop()
		c, err := o.Stop(limited, in.Crew)
		if err != nil && limited.Err() != nil && ctx.Err() == nil {
			err = core.Errorf(core.Timeout, "the crew %s has not ended within %s", in.Crew, in.Timeout)
		}
		if c == nil {
			return crewStateOut{}, err
		}
		return crewStateOut{ID: c.ID, State: c.State, Turn: max(0, c.Turn), Reason: c.Reason}, err
	},
}).SeeAlso("crew-resume", "crew-pause")
