package crews

import (
	"context"
	"os"
	"path/filepath"

	"cupola/core"
	"cupola/core/run/crew/recipe"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type crewSaveIn struct {
	OfCrew
	Name   string             `help:"The name of the recipe; --output writes to any other file"`
	Output registry.WritePath `help:"File to write; - returns the text only"`
	Force  bool               `help:"Overwrite an existing file"`
}

type crewSaveOut struct {
	// Recipe is the name by which it can be run, Path the file that was written; each is absent for --output=-, where
	// Text is its content.
	Recipe string `json:"recipe,omitempty"`
	Path   string `json:"path,omitempty"`
	Text   string `json:"text,omitempty"`
	Agents int    `json:"agent_count"`
}

var crewSave = registry.Define(registry.Spec[*verb.Env, crewSaveIn, crewSaveOut]{
	Name: "crew-save", Group: verb.GroupCrew, Short: "Save a crew as a recipe that can be run again",
	Long: "The file is editable TOML: the agents, what each is for, the task and the limits. Of what was said " +
		"nothing is in it; 'crew export' keeps that.",
	Scope: registry.Resource, Effect: registry.Writes,
	Examples: []string{"k3x9ab2 --output=-"},
	Errors:   append([]core.Code{core.AlreadyExists}, codes...), Run: runCrewSave,
}).SeeAlso("crew-run", "crew-recipes")

// Check sees that it is said where to save.
func (in crewSaveIn) Check() error {
	switch {
	case in.Name == "" && in.Output == "":
		return registry.Missing("crew-save needs --name or --output", "Usage: cupola crew save ID --name=NAME",
			"--name")
	case in.Name != "" && in.Output != "":
		return registry.Conflict("--name", "--output")
	case in.Name != "" && filepath.Base(in.Name) != in.Name:
		return core.Errorf(core.InvalidInput, "%q is no name of a recipe; --output takes a file", in.Name)
	}
	return nil
}

func runCrewSave(ctx context.Context, env *verb.Env, in crewSaveIn) (crewSaveOut, error) {
	c, err := load(ctx, env, in.Crew)
	if err != nil {
		return crewSaveOut{}, err
	}
	text, err := recipe.Of(c).Encode("A crew. Use it with: cupola crew run FILE")
	if err != nil {
		return crewSaveOut{}, err
	}
	out := crewSaveOut{Agents: len(c.Members)}
	if in.Output == "-" {
		out.Text = text
		return out, nil
	}
	out.Path = verb.Absolute(env.Dir, in.Output)
	if in.Name != "" {
		out.Recipe, out.Path = in.Name, filepath.Join(env.Paths.CrewRecipes(), in.Name+".toml")
		if err := os.MkdirAll(filepath.Dir(out.Path), 0o700); err != nil {
			return crewSaveOut{}, core.FileError("make the folder of the recipes", err)
		}
	}
	return out, verb.WriteFile(out.Path, text, in.Force)
}

// Next says how to run it.
func (o crewSaveOut) Next() []registry.Action {
	if o.Recipe == "" {
		return nil
	}
	return []registry.Action{verb.NextAction("run", "Run it", "crew-run", o.Recipe)}
}

// Report shows a person the file.
func (o crewSaveOut) Report() *report.Report {
	if o.Path == "" {
		return (&report.Report{}).Add(report.Block{Raw: o.Text})
	}
	return report.Say(report.Text("Saved to "), report.Toned(report.Strong, o.Path))
}
