package crews

import (
	"context"

	"cupola/core/run/crew"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// CrewSayIn is the input of the verb crew-say.
type CrewSayIn struct {
	OfCrew
	Text string `arg:"2" required:"true" help:"What to say; lines that begin with @NAME: go to that agent, without one all get it; - reads standard input"`
}

// CrewSayOut is the answer of the verb crew-say.
type CrewSayOut struct {
	ID string `json:"id"`
	// Messages are the messages on record, to be delivered in the next turn.
	Messages []saidRow  `json:"messages"`
	State    crew.State `json:"state"`
}

// saidRow is one message of the user.
type saidRow struct {
	_    struct{} `minimal:"to,text" standard:"to,text"`
	To   string   `json:"to" table:"TO,strong"`
	Text string   `json:"text" table:"TEXT,oneline,flex"`
}

var crewSay = registry.Define(registry.Spec[*verb.Env, CrewSayIn, CrewSayOut]{
	Name: "crew-say", Group: verb.GroupCrew, Doing: "telling",
	Short: "Say something to agents of a crew; they hear it in their " +
		"next turn",
	Long:  "A crew that has ended gets it once it is resumed: 'crew resume'.",
	Scope: registry.Resource, Effect: registry.Answers, List: "messages",
	Examples: []string{"k3x9ab2 '@ada.reviewer: look at the tests too'"},
	Errors:   codes, Run: runCrewSay,
}).SeeAlso("run-resume", "crew-replay")

func runCrewSay(ctx context.Context, env *verb.Env, in CrewSayIn) (CrewSayOut, error) {
	text := in.Text
	if text == "-" {
		read, err := env.Stdin()
		if err != nil {
			return CrewSayOut{}, err
		}
		text = read
	}
	o, err := orchestratorOf(ctx, env)
	if err != nil {
		return CrewSayOut{}, err
	}
	events, err := o.Say(ctx, in.Crew, text)
	if err != nil {
		return CrewSayOut{}, err
	}
	out := CrewSayOut{ID: in.Crew}
	for i := range events {
		out.Messages = append(out.Messages, saidRow{To: events[i].To, Text: events[i].Text})
	}
	c, err := o.Crews.Load(ctx, in.Crew)
	if err != nil {
		return out, err
	}
	o.Directory.MarkInterrupted(c)
	out.State = c.State
	return out, nil
}

// Next says how an ended crew hears it.
func (o CrewSayOut) Next() []registry.Action {
	if !o.State.Ended() {
		return []registry.Action{verb.NextAction("follow", "See what they answer", "crew-replay", o.ID, "--follow")}
	}
	return []registry.Action{verb.NextAction("resume", "Let the crew hear it", "crew-resume", o.ID)}
}

// Report shows a person who will hear it.
func (o CrewSayOut) Report() *report.Report {
	r := &report.Report{}
	when := "in the next turn"
	if o.State.Ended() {
		when = "once the crew resumes"
	}
	for _, m := range o.Messages {
		r.AddLine(report.Toned(report.Strong, m.To), report.Text(" will hear it "+when+"."))
	}
	return r
}
