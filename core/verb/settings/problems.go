package settings

import (
	"fmt"
	"strings"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/config"
	"cupola/core/config/palette"
	"cupola/core/verb"
	"cupola/core/verb/tools"
)

// FirstOf returns the first of some variables that is set; empty if none is.
func FirstOf(getenv func(string) string, names ...string) string {
	for _, name := range names {
		if value := getenv(name); value != "" {
			return value
		}
	}
	return ""
}

// BridgeProblem says what is wrong with the user's own bridges; empty if nothing is.
func BridgeProblem(env *verb.Local) string {
	var problems []string
	for _, id := range env.Bridges.Changed() {
		tool, err := env.Bridges.Tool(id)
		if err != nil {
			problems = append(problems, core.AsError(err).Error())
			continue
		}
		for _, name := range tool.ActionNames() {
			action := tool.Actions[name]
			if unknown := tools.UnknownModifiers(action); len(unknown) > 0 {
				problems = append(problems,
					fmt.Sprintf("%s-%s takes %s, which does not exist", id, name, strings.Join(unknown, ", ")))
			}
			if err := action.Verify(); err != nil {
				problems = append(problems, err.Error())
			}
		}
	}
	return strings.Join(problems, "; ")
}

// kindProblem says what is wrong with the user's own agent kinds; empty if nothing
// is.
func kindProblem(env *verb.Local) string {
	problems := core.Map(verb.Kinds(env.Paths).Faults(), func(fault *agent.Fault) string {
		return verb.TellKind(env.Paths, fault)
	})
	return strings.Join(problems, "; ")
}

// PaletteProblem says what is wrong with the saved prompts; empty if nothing is.
func PaletteProblem(env *verb.Local) string {
	_, err := palette.Load(env.Location)
	return said(err)
}

// KeyProblems are the faults of the keys of the user's own commands; none if there is no dashboard to ask.
func KeyProblems(env *verb.Local) []string {
	if env.OwnKeyFaults == nil {
		return nil
	}
	return env.OwnKeyFaults()
}

// problemOf returns the unused keys and other faults of a layer of the settings; empty if it has none.
func problemOf(c *config.Config, layer config.Layer, problems ...string) string {
	for _, fault := range c.FaultsOf(layer) {
		problems = append(problems, c.Describe(fault))
	}
	return strings.Join(problems, "; ")
}

// said returns the text of an error; empty for none.
func said(err error) string {
	if err == nil {
		return ""
	}
	return core.AsError(err).Error()
}
