// Package engines opens the engine that the settings name: tmux, Cupola's own, or both as one.
package engines
