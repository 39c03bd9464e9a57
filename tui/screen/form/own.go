package form

import (
	"cupola/core/system/shell"
	"cupola/core/term/cells"
	"cupola/tui/intent"
)

// RunOwn asks whether to run one of the user's own commands. It shows the line for the shell, else the words.
func RunOwn(w intent.RunOwn, line string) *Form {
	if line == "" {
		line = shell.Line(w.Argv...)
	}
	return &Form{
		title: "Run " + cells.Clean(w.Title) + "?", verb: "run it",
		says: cells.Clean(line) + "\nIn " + cells.Clean(w.Dir) + ".",
		make: func([]string) (intent.Intent, string) { return w, "" },
	}
}
