package settings

import (
	"context"

	"cupola/core"
	"cupola/core/config"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type configGetIn struct {
	Key string `arg:"1" required:"true" lister:"config-show" help:"Setting: SECTION.KEY"`
}

type configGetOut struct {
	settingRow
	// Description is the effect of the setting.
	Description string `json:"description"`
	// Valid are the values allowed; absent where all of its type are.
	Valid []string `json:"valid"`
	// Variable is the environment variable that sets it.
	Variable string `json:"variable,omitempty"`
}

var configGet = registry.Define(registry.Spec[*verb.Local, configGetIn, configGetOut]{
	Name: "config-get", Of: "config-show", Group: verb.GroupSetup, Short: "Show one setting",
	Scope: registry.Resource, Effect: registry.Reads,
	Examples: []string{"alerts.idle"},
	Errors:   []core.Code{core.InvalidInput},
	Run: func(_ context.Context, env *verb.Local, in configGetIn) (configGetOut, error) {
		return settingShown(env, in.Key)
	},
}).SeeAlso("config-show")

func settingShown(env *verb.Local, name string) (configGetOut, error) {
	key, err := config.KeyNamed(name)
	if err != nil {
		return configGetOut{}, err
	}
	return configGetOut{
		settingRow: settingOf(env.Settings(), key), Description: key.Doc, Valid: key.Enum, Variable: key.Env(),
	}, nil
}

func (o configGetOut) Report() *report.Report {
	return report.Say(report.Text(o.Value))
}

// Check sees that what was given can be read.
func (in configGetIn) Check() error {
	_, err := config.KeyNamed(in.Key)
	return err
}
