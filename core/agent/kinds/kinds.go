// Package kinds holds the files of the agent kinds that come with Cupola, as texts for users who write their own.
// Cupola itself does not read them: package agent has them as Go code.
package kinds

import "embed"

//go:embed *.toml
var files embed.FS

// Text returns the file of a kind; ok is false for a kind that does not come with Cupola.
func Text(id string) (text string, ok bool) {
	data, err := files.ReadFile(id + ".toml")
	return string(data), err == nil
}
