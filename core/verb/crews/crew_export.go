package crews

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/run/crew"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type crewExportIn struct {
	OfCrew
	As     string             `default:"markdown" enum:"markdown,json" help:"The form of the document"`
	Output registry.WritePath `help:"File to write; the text is in the answer without it"`
	Force  bool               `help:"Overwrite an existing file"`
}

type crewExportOut struct {
	ID    string `json:"id"`
	As    string `json:"as"`
	Path  string `json:"path,omitempty"`
	Bytes int    `json:"bytes"`
	// Text is the document; absent where it was written to a file.
	Text string `json:"text,omitempty"`
}

var crewExport = registry.Define(registry.Spec[*verb.Env, crewExportIn, crewExportOut]{
	Name: "crew-export", Group: verb.GroupCrew, Short: "Write all of a crew as one document",
	Scope: registry.Resource, Effect: registry.Reads,
	Examples: []string{"k3x9ab2", "k3x9ab2 --as=json"},
	Errors:   append([]core.Code{core.AlreadyExists}, codes...), Run: runCrewExport,
}).SeeAlso("crew-replay", "crew-save")

// exported is a crew as one JSON document.
type exported struct {
	*crew.Crew
	Events []crew.Event `json:"events"`
}

func runCrewExport(ctx context.Context, env *verb.Env, in crewExportIn) (crewExportOut, error) {
	c, err := load(ctx, env, in.Crew)
	if err != nil {
		return crewExportOut{}, err
	}
	crews, err := read(ctx, env)
	if err != nil {
		return crewExportOut{}, err
	}
	events, err := crews.Events(ctx, c.ID, 0)
	if err != nil {
		return crewExportOut{}, err
	}
	text := markdown(c, events)
	if in.As == "json" {
		document, err := json.MarshalIndent(exported{c, events}, "", "  ")
		if err != nil {
			return crewExportOut{}, core.Errorf(core.InternalError, "export the crew: %w", err)
		}
		text = string(document) + "\n"
	}
	out := crewExportOut{ID: c.ID, As: in.As, Bytes: len(text)}
	if in.Output == "" {
		out.Text = text
		return out, nil
	}
	out.Path = verb.Absolute(env.Dir, in.Output)
	return out, verb.WriteFile(out.Path, text, in.Force)
}

// markdown is a crew as a document for people.
func markdown(c *crew.Crew, events []crew.Event) string {
	var b strings.Builder
	say := func(format string, values ...any) { fmt.Fprintf(&b, format+"\n", values...) }
	say("# Crew %s", c.ID)
	say("")
	say("- Began: %s", c.Started.Format(time.RFC3339))
	say("- State: %s", strings.TrimSuffix(string(c.State)+", "+string(c.Reason), ", "))
	say("- Directory: `%s`, sandbox %s", c.Dir, c.Sandbox)
	for i := range c.Members {
		m := &c.Members[i]
		say("- Agent **%s**: %s %s, %d turns, %d messages", m.Name, m.Backend, m.ModelUsed, m.Turns, m.Messages)
	}
	turn := -1
	for i := range events {
		e := &events[i]
		if e.Turn != turn && e.Type != crew.Start {
			turn = e.Turn
			say("")
			say("## Turn %d", turn)
		}
		at := e.At.Format("15:04:05Z")
		switch e.Type {
		case crew.Task:
			say("\n**The task** (%s)\n\n%s", at, e.Text)
		case crew.Message:
			say("\n**%s → %s** (%s)\n\n%s", e.From, e.To, at, e.Text)
		case crew.Note:
			say("\n*%s notes* (%s)\n\n%s", e.From, at, e.Text)
		case crew.Guardrail:
			say("\n> Guardrail %s: %s", e.Reason, e.Text)
		case crew.Failure:
			say("\n> %s failed: %s", e.From, e.Text)
		case crew.End:
			say("\n> The crew ended: %s", e.Reason)
		}
	}
	return b.String()
}

// Report shows a person the document.
func (o crewExportOut) Report() *report.Report {
	if o.Path == "" {
		return (&report.Report{}).Add(report.Block{Raw: o.Text})
	}
	return report.Say(report.Text(fmt.Sprintf("%d bytes were written to ", o.Bytes)), report.Toned(report.Strong,
		o.Path))
}

// Next says how to see what the crew came to.
func (o crewExportOut) Next() []registry.Action {
	return []registry.Action{verb.NextAction("show", "See the crew's messages to you", "crew-show", o.ID)}
}
