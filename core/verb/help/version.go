package help

import (
	"context"
	"runtime"

	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type versionIn struct{}

type versionOut struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	// Go is the version of the compiler.
	Go   string `json:"go"`
	OS   string `json:"os"`
	Arch string `json:"arch"`
}

var version = registry.Define(registry.Spec[*verb.Local, versionIn, versionOut]{
	Name: "version", Group: verb.GroupLearn, Short: "Show the version",
	Scope: registry.Global, Effect: registry.Reads, Sessionless: true, Examples: []string{""},
	Run: func(_ context.Context, env *verb.Local, _ versionIn) (versionOut, error) {
		return versionOut{
			Name: "cupola", Version: env.Version, Go: runtime.Version(), OS: runtime.GOOS,
			Arch: runtime.GOARCH,
		}, nil
	},
}).SeeAlso("doctor", "capabilities")

func (o versionOut) Report() *report.Report {
	return report.Say(report.Text("cupola " + o.Version))
}
