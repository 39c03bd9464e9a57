package agent

import "strings"

// Background says how a kind's program is asked for the sessions that it runs without a terminal. The zero value means
// that it runs none.
type Background struct {
	// List are the arguments that list them as JSON, Attach those that open one in a terminal, whose id replaces
	// SessionID.
	List, Attach []string
}

// Fill returns arguments with the id of a session in them.
func (b *Background) Fill(words []string, id string) []string {
	argv := make([]string, len(words))
	for i, word := range words {
		argv[i] = strings.ReplaceAll(word, SessionID, id)
	}
	return argv
}
