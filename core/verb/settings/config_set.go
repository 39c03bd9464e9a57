package settings

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"cupola/core"
	"cupola/core/config"
	"cupola/core/system/shell"
	"cupola/core/system/textfile"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// ConfigSetIn is the input of the verb config-set.
type ConfigSetIn struct {
	Key   string   `arg:"1" required:"true" lister:"config-show" help:"Setting: SECTION.KEY"`
	Value []string `arg:"rest" empty:"an empty text" help:"New value; give several for a list"`
	Unset bool     `help:"Remove it from the file instead"`
	OfProject
	registry.Preview
}

// ConfigSetOut is the answer of the verb config-set.
type ConfigSetOut struct {
	Key  string `json:"key"`
	File string `json:"file"`
	// Before and Value are the values without and with the change, from whichever place wins.
	Before  string `json:"before"`
	Value   string `json:"value"`
	Changed bool   `json:"changed"`
	DryRun  bool   `json:"dry_run"`
	// Diff shows what changed, or would, in the file; absent if nothing did.
	Diff string `json:"diff,omitempty"`

	warnings []string
}

var configSet = registry.Define(registry.Spec[*verb.Local, ConfigSetIn, ConfigSetOut]{
	Name: "config-set", Group: verb.GroupSetup, Doing: "setting",
	Short: "Change one setting",
	Long: "The rest of the file stays as it is, including comments and order. Invalid values are refused, and so " +
		"are keys that a project's file may not set.",
	Scope: registry.Resource, Effect: registry.Destroys,
	Examples: []string{
		"alerts.idle 1h",
		"alerts.idle --unset",
		"sessions.hide_foreign true --in-project --dry-run",
	},
	Errors: changingConfig, Run: runConfigSet,
})

// Hints returns advice for the caller.
func (o ConfigSetOut) Hints() *registry.Hints {
	return &registry.Hints{Warnings: o.warnings}
}

// Said returns the value in force, and further facts about it.
func (o ConfigSetOut) Said() string {
	said := o.Key + " is " + cmp.Or(o.Value, `""`)
	if len(o.warnings) > 0 {
		return strings.Join(o.warnings, "; ")
	}
	return said + ", for all that starts from now on"
}

// Report shows what changed in the file.
func (o ConfigSetOut) Report() *report.Report {
	r := changeReport("Changed ", "Would change ", "Nothing to change in ", o.File, o.Diff, o.DryRun)
	for _, warning := range o.warnings {
		r.Blocks[0].Lines = append(r.Blocks[0].Lines, report.Line{report.Toned(report.Warn, warning)})
	}
	return r
}

// Check sees that there is a setting of that name, and one thing to do to it.
func (in ConfigSetIn) Check() error {
	switch _, err := config.KeyNamed(in.Key); {
	case err != nil && !in.Unset:
		return err
	case in.Unset && len(in.Value) > 0:
		return registry.Conflict("--unset", shell.Quote(in.Value[0]))
	case !in.Unset && len(in.Value) == 0:
		return registry.Missing("config-set needs a value for "+in.Key,
			"Give one, or --unset to go back to the default.", "VALUE")
	}
	return nil
}

func runConfigSet(_ context.Context, env *verb.Local, in ConfigSetIn) (ConfigSetOut, error) {
	paths := env.Files()
	var change *textfile.Change
	var err error
	if in.Unset {
		change, err = config.Unset(paths, in.layer(), in.Key)
	} else {
		change, err = config.Set(paths, in.layer(), in.Key, in.Value)
	}
	if err != nil {
		return ConfigSetOut{}, err
	}
	out := ConfigSetOut{
		Key: in.Key, File: change.File, DryRun: in.DryRun, Changed: change.Changes() && !in.DryRun,
		Diff: change.Diff(),
	}
	key, unknown := config.KeyNamed(in.Key)
	if unknown == nil {
		out.Before = env.Settings().Value(key)
	}
	out.Value = out.Before
	after := config.LoadWith(paths, env.Getenv, change)
	if unknown == nil && !in.Unset && env.CheckSetting != nil {
		written := config.LoadWith(paths, func(string) string { return "" }, change) // whatever the environment says
		err := env.CheckSetting(in.Key, written)
		for _, fault := range written.FaultsOf(in.layer()) {
			if err == nil && fault.Key+".run" == in.Key { // a command that cannot run as it is written
				err = fault.Err
			}
		}
		if err != nil {
			return ConfigSetOut{}, refused(err)
		}
	}
	if !in.DryRun {
		if err := change.Apply(); err != nil {
			return ConfigSetOut{}, err
		}
	}
	if unknown == nil {
		out.see(after, in, key)
	}
	return out, nil
}

// refused is the error of a value that would be refused where it is used.
func refused(err error) error {
	e := *core.AsError(err)
	e.Code, e.Message, e.Remedies, e.Actions = core.InvalidInput, err.Error(), nil, nil
	return &e
}

// see takes in what holds, or would hold, after the change, and warns where that is not what was
// asked for.
func (o *ConfigSetOut) see(c *config.Config, in ConfigSetIn, key config.Key) {
	o.Value = c.Value(key)
	from := c.Origin(in.Key)
	if !in.Unset && from.Layer != in.layer() || in.Unset && from.Layer != config.Default {
		o.warnings = append(o.warnings, fmt.Sprintf("%s stays %s, as %s says", in.Key, o.Value, from))
	}
}
