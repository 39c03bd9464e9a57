package settings

import (
	"cupola/core"
	"cupola/core/config"
	"cupola/core/system/textfile"
	"cupola/core/text/report"
	"cupola/core/verb"
)

// OfProject chooses between the two files.
type OfProject struct {
	Project bool `flag:"in-project" help:"Use the project's file instead of the user's"`
}

func (p OfProject) layer() config.Layer {
	if p.Project {
		return config.Project
	}
	return config.User
}

// settingRow is one setting.
type settingRow struct {
	_   struct{} `minimal:"key,value" standard:"key,value,origin,where"`
	Key string   `json:"key"`
	// Value and Default are written as config-set takes them.
	Value string `json:"value"`
	// Origin is default, user, project or environment.
	Origin string `json:"origin"`
	// Where is FILE:LINE or the name of a variable; absent for defaults.
	Where   string `json:"where,omitempty"`
	Default string `json:"default"`
	// Type is string, int, bool, duration, list or table.
	Type string `json:"type"`
}

// changingConfig are the error codes of changing settings.
var changingConfig = []core.Code{
	core.Conflict, core.IOError, core.PermissionDenied, core.ConfigInvalid, core.InvalidInput,
}

func settingOf(c *config.Config, key config.Key) settingRow {
	from := c.Origin(key.Name)
	row := settingRow{
		Key: key.Name, Value: c.Value(key), Origin: string(from.Layer), Default: key.Default(),
		Type: key.Type,
	}
	if from.Layer != config.Default {
		row.Where = from.String()
	}
	return row
}

// Apply makes a change of a file, unless planning it failed.
func Apply(change *textfile.Change, err error) error {
	if err != nil {
		return err
	}
	return change.Apply()
}

// changeReport says in one line what was done to a settings file, and shows the
// diff of what would be. Nothing is said where there is none.
func changeReport(did, would, nothing, file, diff string, dryRun bool) *report.Report {
	line := report.Line{report.Toned(report.Good, did), report.Text(file)}
	switch {
	case diff == "":
		line = report.Line{report.Text(nothing), report.Text(file)}
	case dryRun:
		line = report.Line{report.Toned(report.Warn, would), report.Text(file)}
	}
	block := report.Block{Lines: []report.Line{line}}
	if dryRun {
		block.Lines = append(block.Lines, verb.CodeLines(diff)...)
	}
	return (&report.Report{}).Add(block)
}
