package engine

import (
	"slices"
	"strings"

	"cupola/core/system/process/job"
)

// The variables from which a program learns the session that it was started in, and the name of its pane.
const (
	SessionVariable = "CUPOLA_SESSION"
	NameVariable    = "CUPOLA_PANE_NAME"
)

// paneVariables name the pane and the server that a program belongs to.
var paneVariables = []string{
	SessionVariable, NameVariable, job.Variable, PaneVariable, SocketVariable, "TMUX", "TMUX_PANE",
}

// PaneVariables returns the names of the variables that name the pane and the server that a program belongs to.
func PaneVariables() []string { return slices.Clone(paneVariables) }

// terminalVariables describe a terminal. A program that has them takes the terminal of its pane for that one.
var terminalVariables = []string{
	"TERM", "COLORTERM", "COLUMNS", "LINES", "STY", "WINDOWID", "WINDOW", "VTE_VERSION", "SSH_TTY", "GPG_TTY",
	"TERMCAP", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TERM_SESSION_ID", "LC_TERMINAL", "LC_TERMINAL_VERSION",
	"KONSOLE_VERSION", "WT_SESSION", "WT_PROFILE_ID", "ALACRITTY_WINDOW_ID", "ALACRITTY_LOG", "ALACRITTY_SOCKET",
	"GHOSTTY_RESOURCES_DIR", "GHOSTTY_BIN_DIR", "GHOSTTY_SHELL_FEATURES", "VSCODE_INJECTION", "TABBY_CONFIG_DIRECTORY",
}

// terminalPrefixes are the beginnings of names of such variables.
var terminalPrefixes = []string{"KITTY_", "WEZTERM_", "ITERM_", "ZELLIJ", "KONSOLE_DBUS_"}

// Portable returns an environment without the variables that describe a terminal or say to which pane a program
// belongs: what a program takes along into another pane.
func Portable(environ []string) []string {
	kept := make([]string, 0, len(environ))
	for _, pair := range environ {
		if name, _, _ := strings.Cut(pair, "="); !bound(name) {
			kept = append(kept, pair)
		}
	}
	return kept
}

// bound reports whether a variable holds for one terminal or one pane only.
func bound(name string) bool {
	return slices.Contains(paneVariables, name) || slices.Contains(terminalVariables, name) ||
		slices.ContainsFunc(terminalPrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}
