package crews

import (
	"context"

	"cupola/core"
	"cupola/core/run/crew/recipe"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type crewRecipesIn struct{}

type crewRecipesOut struct {
	Recipes []recipeRow `json:"recipes" empty:"there is no recipe"`
}

// recipeRow is one recipe.
type recipeRow struct {
	_    struct{} `minimal:"name,agent_names" standard:"name,agent_names,sandbox,description,path,error"`
	Name string   `json:"name" table:"RECIPE,strong"`
	// Path is its file; empty for one that is part of the program.
	Path        string   `json:"path,omitempty"`
	Agents      []string `json:"agent_names" table:"AGENTS,dim,join=;"`
	Sandbox     string   `json:"sandbox,omitempty"`
	Description string   `json:"description,omitempty" table:"WHAT,flex,or=Error"`
	Error       string   `json:"error,omitempty"`
}

var crewRecipes = registry.Define(registry.Spec[*verb.Local, crewRecipesIn, crewRecipesOut]{
	Name: "crew-recipes", Group: verb.GroupCrew, Short: "List the crews that are saved as recipes",
	Scope: registry.Global, Effect: registry.Reads, Sessionless: true, List: "recipes",
	Examples: []string{""},
	Errors:   []core.Code{core.IOError, core.PermissionDenied},
	Run: func(_ context.Context, env *verb.Local, _ crewRecipesIn) (crewRecipesOut, error) {
		names, err := recipe.Names(env.Paths.CrewRecipes())
		if err != nil {
			return crewRecipesOut{}, err
		}
		out := crewRecipesOut{}
		for _, name := range names {
			row := recipeRow{Name: name}
			r, err := recipe.Load(env.Paths.CrewRecipes(), name)
			if err != nil {
				row.Error = err.Error()
				out.Recipes = append(out.Recipes, row)
				continue
			}
			row.Path, row.Sandbox, row.Description = r.Path, r.Sandbox, r.Description
			for _, a := range r.Agents {
				row.Agents = append(row.Agents, a.Role)
			}
			out.Recipes = append(out.Recipes, row)
		}
		return out, nil
	},
}).SeeAlso("run-list")

// Next says how to run the first of them.
func (o crewRecipesOut) Next() []registry.Action {
	if len(o.Recipes) == 0 {
		return nil
	}
	return []registry.Action{verb.NextAction("plan", "See what a recipe would do", "crew-run", o.Recipes[0].Name,
		"--dry-run")}
}
