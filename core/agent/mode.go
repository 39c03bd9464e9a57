package agent

import (
	"slices"
	"strings"

	"cupola/core"
)

// ModeArgs returns the arguments that start an agent in a mode. For another mode than the kind of that name has it
// returns NotImplemented, with the ones that it has.
func (l *Launch) ModeArgs(name string, mode core.Mode) ([]string, error) {
	if known, has := l.Modes[string(mode)]; has {
		return known.Args, nil
	}
	err := core.Errorf(core.NotImplemented, "%s cannot be started in mode %q", name, mode)
	for _, other := range core.Modes() {
		if _, has := l.Modes[string(other)]; has {
			err.Suggestions = append(err.Suggestions, string(other))
		}
	}
	err.Hint = "Its file names no modes."
	if len(err.Suggestions) > 0 {
		err.Hint = "It has " + strings.Join(err.Suggestions, ", ") + "."
	}
	return nil, err
}

// ModeOf returns the mode that a command line asks for, the least cautious one where there are several;
// empty for none.
func (l *Launch) ModeOf(argv []string) core.Mode {
	for _, mode := range slices.Backward(core.Modes()) {
		known, has := l.Modes[string(mode)]
		if !has {
			continue
		}
		for _, args := range append([][]string{known.Args}, known.Other...) {
			if within(argv, args) {
				return mode
			}
		}
	}
	return ""
}

// within reports whether a command line has arguments, one behind the other, or joined with '=' as FLAG=VALUE.
func within(argv, args []string) bool {
	if len(args) == 0 {
		return false
	}
	for i := range argv {
		if i+len(args) <= len(argv) && slices.Equal(argv[i:i+len(args)], args) {
			return true
		}
	}
	return len(args) == 2 && slices.Contains(argv, args[0]+"="+args[1])
}

// ModelArgs returns the arguments that choose a model; none if the kind accepts none.
func (l *Launch) ModelArgs(model string) []string {
	return core.Map(l.Model, func(arg string) string { return strings.ReplaceAll(arg, ModelName, model) })
}
