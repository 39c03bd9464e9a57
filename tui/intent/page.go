package intent

import (
	"fmt"
	"strings"

	"cupola/core"
)

// Page writes the tables as Markdown, for docs/keys.md.
func (t *Tables) Page() string {
	var b strings.Builder
	b.WriteString("# Keys of the dashboard\n\nThe same tables drive the keyboard, the footer and the help (`?`).\n")
	for _, scope := range t.Keymap().All() {
		fmt.Fprintf(&b, "\n## %s\n\n| Keys | Meaning |\n|---|---|\n", scope.Name)
		for _, binding := range scope.Bindings {
			keys := core.Map(binding.Keys, func(key string) string { return "`" + Name(key) + "`" })
			fmt.Fprintf(&b, "| %s | %s |\n", strings.Join(keys, " "), binding.Does)
		}
	}
	b.WriteString("\nThe mouse selects with a click, opens with a double click, and scrolls with its wheel.\n")
	return b.String()
}

var names = strings.NewReplacer("ctrl+", "^", "pgdown", "PgDn", "pgup", "PgUp", "shift+tab", "⇧Tab", "alt+enter",
	"Alt+Enter", "up", "↑",
	"down", "↓", "left", "←", "right", "→", "enter", "Enter", "esc", "Esc", "home", "Home", "end", "End", "tab", "Tab")

// Name names a key as people write it.
func Name(key string) string {
	switch {
	case key == " ":
		return "Space"
	case len(key) == 1:
		return key
	}
	return names.Replace(key)
}
