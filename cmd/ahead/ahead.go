// Package ahead begins what a status needs while the rest of the program is still being
// initialised, which takes about as long as tmux takes to answer. Where it guesses wrong,
// the answer is dropped unread.
//
// It imports only what is initialised early.
package ahead

import (
	"os"
	"slices"

	"cupola/core/engine/tmux/ahead"
	"cupola/core/engine/tmux/wire"
)

var asked = ask(os.Args)

// Asked returns the question that is on its way; nil if there is none.
func Asked() *wire.Asked { return asked }

func ask(args []string) *wire.Asked {
	if !looks(args) {
		return nil
	}
	return ahead.Ask(os.Getenv)
}

// looks reports whether arguments are those of a verb that asks the question.
func looks(args []string) bool {
	verbs := []string{"status", "--robot-status", "terse", "--robot-terse"}
	others := []string{"--verbose", "--help", "-h", "--version"}
	return len(args) > 1 && slices.Contains(verbs, args[1]) &&
		!slices.ContainsFunc(args[2:], func(arg string) bool { return slices.Contains(others, arg) })
}
