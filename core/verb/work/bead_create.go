package work

import (
	"context"
	"strings"

	"cupola/core"
	"cupola/core/bridge/bead"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type beadCreateIn struct {
	Title       string   `required:"true" help:"What has to be done, in one line"`
	Description string   `empty:"none" help:"Background and details; - reads them from standard input"`
	Type        string   `help:"Type: task, bug, feature, epic, chore, or one of your own (default: task)"`
	Priority    string   `enum:"0,1,2,3,4,P0,P1,P2,P3,P4" help:"Priority; 0 is the most urgent (default: 2)"`
	Assignee    string   `help:"Who should do it"`
	Labels      []string `help:"Labels, separated by commas"`
	DependsOn   []string `help:"Ids of items that must be done first"`
	Parent      string   `help:"Id of the item it is part of"`
	verb.InProject
}

var beadCreate = registry.Define(registry.Spec[*verb.Env, beadCreateIn, beadChanged]{
	Name: "bead-create", Group: verb.GroupWork, Short: "Create a work item",
	Long:  "Uses bd or br, which assign the id.",
	Scope: registry.Global, Effect: registry.Writes,
	Examples: []string{"--title='Check the input' --type=bug --priority=1 --depends-on=bd-1"},
	Errors:   append([]core.Code{core.InvalidInput}, changingBeads...), Run: runBeadCreate,
})

// Check sees that the title is one.
func (in beadCreateIn) Check() error {
	if strings.TrimSpace(in.Title) == "" || strings.ContainsAny(in.Title, "\n\r") {
		return core.Errorf(core.InvalidInput, "--title: it must be one line of text")
	}
	return nil
}

func runBeadCreate(ctx context.Context, env *verb.Env, in beadCreateIn) (beadChanged, error) {
	w, err := workToChange(ctx, env, in.InProject)
	if err != nil {
		return beadChanged{}, err
	}
	for _, id := range append(append([]string{}, in.DependsOn...), in.Parent) {
		if _, err := w.set.Find(id); id != "" && err != nil {
			return beadChanged{}, err
		}
	}
	description := in.Description
	if description == "-" {
		if description, err = env.Stdin(); err != nil {
			return beadChanged{}, err
		}
	}
	item, err := w.tool.Create(ctx, w.place, &bead.Draft{
		Title: in.Title, Description: description, Type: in.Type, Priority: strings.TrimPrefix(in.Priority, "P"),
		Assignee: in.Assignee, Labels: in.Labels, DependsOn: in.DependsOn, Parent: in.Parent,
	})
	if err != nil {
		return beadChanged{}, err
	}
	out := changed(w, item, "Created")
	out.next = verb.NextOnly("claim", "Take it", "bead-claim", item.ID)
	return out, nil
}
