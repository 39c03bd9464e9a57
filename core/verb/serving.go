package verb

import (
	"cupola/core/config"
	"cupola/core/record/server"
	"cupola/core/verb/registry"
)

// Servers is where servers are on record.
func Servers(paths config.Paths) server.Records { return server.Records{Dir: paths.Servers()} }

// ServeRequest are the options of serving HTTP.
type ServeRequest struct {
	// Address is HOST:PORT, and Next how many ports after a taken one are tried.
	Address string
	Next    int
	// Cert and Key are the files of a certificate; empty for none.
	Cert, Key string
	// Names are other names that the server goes by, NAME or NAME:PORT. Proxied is true if a proxy with TLS is
	// before it, whose word on names and schemes counts.
	Names   []string
	Proxied bool
	// Access returns the means of access to the server once it listens at an address.
	Access func(url string) (*Access, error)
	// Border is the permission of clients.
	Border registry.Border
	// Hosts are the other hosts that clients may name; empty is all.
	Hosts []string
}

// Access is the means of access to one server.
type Access struct {
	// Token is shown by programs, Browsers are the signed-in ones.
	Token    string
	Browsers *server.Browsers
}

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
