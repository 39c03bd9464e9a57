package host

import (
	"path/filepath"
	"slices"
	"strings"

	"cupola/core/system/plainfile"
)

// SSHNames are the names of hosts in a user's ~/.ssh/config, sorted, without patterns; none if the file cannot be read.
// What it includes from other files is not read.
func SSHNames(home string) []string {
	text, err := plainfile.Read(filepath.Join(home, ".ssh", "config"), plainfile.Record)
	if err != nil {
		return nil
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(strings.ReplaceAll(line, "=", " "))
		if len(words) < 2 || !strings.EqualFold(words[0], "Host") {
			continue
		}
		for _, word := range words[1:] {
			if named(word) {
				names = append(names, word)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
