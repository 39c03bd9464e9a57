// Package quiet keeps the program from querying the terminal while it starts.
//
// Bubble Tea queries the terminal for its background colour when its package is initialised,
// and waits up to five seconds for an answer: in every command of a program that links it.
// Setting the background first prevents the query. Go initialises packages that are ready in
// the order of their import paths, and this one, which needs lipgloss only, sorts before
// Bubble Tea. The dashboard finds out light or dark for itself.
package quiet

import "github.com/charmbracelet/lipgloss"

func init() { lipgloss.SetHasDarkBackground(true) }
