package verb

import "cupola/core/verb/registry"

// Allowing is the permission of the clients of a server.
type Allowing struct {
	Allow    string `enum:"reads,answers,writes,destroys" help:"The strongest thing that clients may do: see; act on agents that run; start known agents and write in the project; end and remove"`
	Commands bool   `help:"Let clients run programs of their choice, and name paths outside the project"`
}

// Border is that for clients who are confined to sessions; none is all.
func (a Allowing) Border(sessions []string) registry.Border {
	return registry.Border{
		Level: registry.Effect(a.Allow), Commands: a.Commands, Sessions: sessions, Asking: "this server",
	}
}
