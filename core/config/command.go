package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"cupola/core"

	"cupola/core/text/near"
)

// OwnCommand is a command of the user's own for the selected row of the dashboard.
type OwnCommand struct {
	// Key is the key that runs it; empty for none.
	Key string `toml:"key"`
	// Run are the program and its arguments, with fields of the row in braces. With Shell it is one line for sh, in
	// which the fields are variables and nothing is replaced.
	Run   []string `toml:"run"`
	Shell bool     `toml:"shell"`
	// Confirm asks before it runs.
	Confirm bool `toml:"confirm"`
}

// RowFields are the fields of a row that own commands take, in words as {NAME} and as variables CUPOLA_ROW_NAME.
var RowFields = []string{"session", "pane", "address", "agent", "kind", "dir", "branch", "host"}

// field is a name in braces.
var field = regexp.MustCompile(`\{[a-z_]+\}`)

// unfit says why a command, which has a name in the settings, cannot run; nil if it can.
func (o OwnCommand) unfit(whole string) error {
	switch {
	case len(o.Run) == 0 || strings.TrimSpace(o.Run[0]) == "":
		return fmt.Errorf(`%s runs nothing; write run = ["program", "argument"]`, whole)
	case o.Shell && len(o.Run) > 1:
		return fmt.Errorf("%s has %d words; with shell = true, run is one line: run = [%q]", whole, len(o.Run),
			strings.Join(o.Run, " "))
	}
	for _, word := range o.Run {
		for _, named := range field.FindAllString(word, -1) {
			name := strings.Trim(named, "{}")
			known := slices.Contains(RowFields, name)
			switch {
			case o.Shell && known:
				return fmt.Errorf(`%s: nothing is replaced in a line for the shell; write "$%s" for %s`, whole,
					rowVariable(name), named)
			case !o.Shell && !known:
				err := &unfit{text: fmt.Sprintf("%s: a row has no field %s; it has {%s}", whole, named,
					strings.Join(RowFields, "}, {"))}
				for _, meant := range near.Words(name, RowFields) {
					err.suggestions = append(err.suggestions, "{"+meant+"}")
				}
				return err
			}
		}
	}
	return nil
}

// Filled returns the argument list that runs the command on a row whose fields have values. Each value becomes a part
// of one word, whatever is in it. Missing is the first field that it needs and that has no value; empty if none is.
func (o OwnCommand) Filled(values map[string]string) (argv []string, missing string) {
	if o.Shell {
		return []string{"/bin/sh", "-c", o.Run[0]}, ""
	}
	for _, word := range o.Run {
		argv = append(argv, field.ReplaceAllStringFunc(word, func(named string) string {
			value := values[strings.Trim(named, "{}")]
			if value == "" && missing == "" {
				missing = named
			}
			return value
		}))
	}
	return argv, missing
}

// RowEnviron returns the variables in which own commands find the fields of a row; one without a value is empty.
func RowEnviron(values map[string]string) []string {
	return core.Map(RowFields, func(name string) string { return rowVariable(name) + "=" + values[name] })
}

func rowVariable(name string) string { return "CUPOLA_ROW_" + strings.ToUpper(name) }
