package stories

import (
	"context"

	"cupola/core"
	"cupola/core/run/story"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type storyValidateIn struct{ ofChange }

type storyValidateOut struct {
	Name  string `json:"name"`
	Valid bool   `json:"valid"`
	// Problems prevent work on stories, or are probably not meant.
	Problems []problemRow `json:"problems" empty:"nothing is wrong"`
}

type problemRow struct {
	_ struct{} `minimal:"severity,message" standard:"severity,line,message"`
	story.Problem
}

var storyValidate = registry.Define(registry.Spec[*verb.Local, storyValidateIn, storyValidateOut]{
	Name: "story-validate", Of: "story-show --validate", Group: verb.GroupStory,
	Short: "Check the stories and tasks of a change",
	Scope: registry.Global, Effect: registry.Reads, List: "problems",
	Examples: []string{"add-login"},
	Errors:   append([]core.Code{core.HealthFailed}, changeCodes...),
	Run: func(_ context.Context, env *verb.Local, in storyValidateIn) (storyValidateOut, error) {
		change, err := in.read(env)
		if err != nil {
			return storyValidateOut{}, err
		}
		return validate(change)
	},
}).SeeAlso("story-list")

// validate lists the problems of a change. HealthFailed says that it cannot be worked on.
func validate(change *story.Change) (storyValidateOut, error) {
	out := storyValidateOut{Name: change.Name, Valid: true, Problems: []problemRow{}}
	for _, problem := range story.Validate(change) {
		out.Valid = out.Valid && problem.Severity != core.SeverityError
		out.Problems = append(out.Problems, problemRow{Problem: problem})
	}
	if !out.Valid {
		e := core.Errorf(core.HealthFailed, "the change %s cannot be worked on as it is", change.Name)
		e.Details = out
		return out, e
	}
	return out, nil
}
