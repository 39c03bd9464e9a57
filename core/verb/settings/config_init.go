package settings

import (
	"context"

	"cupola/core"
	"cupola/core/config"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type configInitIn struct {
	Force bool `help:"Replace an existing file"`
	registry.Preview
}

type configInitOut struct {
	File    string `json:"file"`
	Changed bool   `json:"changed"`
	DryRun  bool   `json:"dry_run"`
	// Diff shows what was written, or would be.
	Diff string `json:"diff,omitempty"`
}

var configInit = registry.Define(registry.Spec[*verb.Local, configInitIn, configInitOut]{
	Name: "config-init", Of: "config-edit --create", Group: verb.GroupSetup, Short: "Write a new settings file",
	Scope: registry.Global, Effect: registry.Destroys,
	Examples: []string{"--dry-run", ""},
	Errors:   []core.Code{core.AlreadyExists, core.Conflict, core.IOError, core.PermissionDenied},
	Run: func(_ context.Context, env *verb.Local, in configInitIn) (configInitOut, error) {
		change, err := config.Init(env.Files(), in.Force)
		if err != nil {
			return configInitOut{}, err
		}
		out := configInitOut{
			File: change.File, Changed: change.Changes() && !in.DryRun, DryRun: in.DryRun,
			Diff: change.Diff(),
		}
		if in.DryRun {
			return out, nil
		}
		return out, change.Apply()
	},
})

func (o configInitOut) Report() *report.Report {
	r := changeReport("Wrote ", "Would write ", "Nothing to change in ", o.File, o.Diff, o.DryRun)
	r.Next = []report.Tip{verb.Tip("change what it says", "config-edit")}
	return r
}
