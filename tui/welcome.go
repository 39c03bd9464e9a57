package tui

import (
	"strings"

	"cupola/tui/intent"
)

// firstKeys are the meanings that a user who is new here should know, with what to call them.
var firstKeys = []struct {
	means intent.Intent
	does  string
}{
	{intent.NextNeedsYou{}, "who needs you"},
	{intent.AskAnswer{}, "decide"},
	{intent.AskSend{}, "send a prompt"},
	{intent.AskSpawn{}, "new session"},
	{intent.OpenPalette{}, "anything"},
	{intent.Help{}, "all keys"},
}

// welcome names the first keys to know, as the user has them.
func welcome(m *model) string {
	scope := m.world.Keys.Of(&intent.Tree)
	var parts []string
	for _, first := range firstKeys {
		if key := scope.Key(first.means); key != "" {
			parts = append(parts, key+" "+first.does)
		}
	}
	return "Welcome. " + strings.Join(parts, ", ") + "."
}
