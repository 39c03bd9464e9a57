// Package resolve finds the panes and sessions that names mean in a snapshot. Only exact names
// count: it suggests near misses and never guesses. It asks nothing of the engine.
package resolve
