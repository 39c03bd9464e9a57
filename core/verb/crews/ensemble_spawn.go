package crews

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/config/recipe"
	"cupola/core/run/crew"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type ensembleSpawnIn struct {
	Session     string               `arg:"1" required:"true" names:"new-session" help:"Name of the new session, with a pane for each agent"`
	Recipe      registry.NamedScript `lister:"crew-recipes" help:"A recipe of a crew: its name, or a file"`
	SpawnPreset registry.NamedScript `help:"A preset of a session, whose agents become the crew: its name, or a file"`
	SpawnCC     int                  `min:"0" max:"50" help:"Claude Code agents in the crew"`
	SpawnCod    int                  `min:"0" max:"50" help:"Codex agents in the crew"`
	SpawnGmi    int                  `min:"0" max:"50" help:"Gemini agents in the crew"`
	SpawnOC     int                  `flag:"spawn-oc" min:"0" max:"50" help:"OpenCode agents in the crew"`
	Agents      []string             `help:"More agents, as role:backend or role:backend:model, separated by commas"`
	Prompt      string               `help:"The task; - reads it from standard input; a recipe's own without it"`
	MaxTurns    int                  `min:"1" help:"How many turns follow the first"`
	Timeout     time.Duration        `help:"How long the crew may take"`
	registry.Preview
}

var ensembleSpawn = registry.Define(registry.Spec[*verb.Env, ensembleSpawnIn, CrewOut]{
	Name: "ensemble-spawn", Schema: "ensemble_spawn", Of: "crew-run --stage=panes --background",
	Group: verb.GroupCrew, Doing: "starting",
	Short: "Start a crew in the panes of a new session",
	Long: "It works in the background; 'ensemble SESSION' says how far it is. The agents come from a crew's " +
		"recipe, of a session's preset, or of flags.",
	Scope: registry.Session, Effect: registry.Writes, List: "told_user",
	Examples: []string{"team --agents=author:claude,critic:codex --prompt='Review auth' --dry-run"},
	Errors:   append([]core.Code{core.EngineUnavailable}, runCodes...),
	Run: func(ctx context.Context, env *verb.Env, in ensembleSpawnIn) (CrewOut, error) {
		wanted, err := in.crew(&env.Local)
		if err != nil {
			return CrewOut{}, err
		}
		return runCrew(ctx, env, wanted, nil)
	},
})

// Check sees that it is said who works, in one way.
func (in ensembleSpawnIn) Check() error {
	sources := 0
	for _, given := range []bool{in.Recipe != "", in.SpawnPreset != "", len(in.members()) > 0} {
		if given {
			sources++
		}
	}
	switch {
	case sources == 0:
		return registry.Missing("ensemble-spawn needs agents", "Name them with --spawn-cc and the like, with "+
			"--agents, with --spawn-preset, or with --recipe.", "--agents")
	case sources > 1:
		return registry.Conflict("--recipe", "--spawn-preset and --agents", "One of them names the agents.")
	}
	return core.CheckSessionName(in.Session)
}

// role is the role of agents that were only counted.
const role = "agent"

// members are the agents of the flags, as crew-run takes them.
func (in ensembleSpawnIn) members() []string {
	var words []string
	for _, counted := range []struct {
		backend string
		count   int
	}{{"claude", in.SpawnCC}, {"codex", in.SpawnCod}, {"gemini", in.SpawnGmi}, {"opencode", in.SpawnOC}} {
		for range counted.count {
			words = append(words, role+":"+counted.backend)
		}
	}
	return append(words, in.Agents...)
}

// crew is the same call of crew-run.
func (in ensembleSpawnIn) crew(env *verb.Local) (CrewRunIn, error) {
	out := CrewRunIn{
		Recipe: in.Recipe, Agents: in.members(), Prompt: in.Prompt, Stage: string(crew.Panes), SessionName: in.Session,
		MaxTurns: in.MaxTurns, Timeout: in.Timeout, Background: true, Preview: in.Preview,
	}
	if in.SpawnPreset == "" {
		return out, nil
	}
	preset, err := recipe.Load(env.Paths.Presets(), string(in.SpawnPreset))
	if err != nil {
		return out, err
	}
	for i := range preset.Panes {
		kind, known := env.Kinds().Find(preset.Panes[i].Kind)
		if !known {
			continue
		}
		word := role + ":" + string(kind.ID)
		if model := preset.Panes[i].Model; model != "" {
			word += ":" + model
		}
		out.Agents = append(out.Agents, word)
	}
	if len(out.Agents) == 0 {
		return out, core.Errorf(core.InvalidInput, "the preset %s has no agent", in.SpawnPreset)
	}
	return out, nil
}
