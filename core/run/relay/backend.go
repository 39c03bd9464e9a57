package relay

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/acp"
	"cupola/core/run/relay/stream"
	"cupola/core/text/near"
)

// Category is the sort of a backend.
type Category string

// The categories: programs on this machine, and servers, local ones or others.
const (
	CLI   Category = "cli"
	Local Category = "local"
	Host  Category = "host"
)

// Backend is a program or an API that can answer a prompt.
type Backend struct {
	// ID names it in commands and settings; Short is another name, or empty.
	ID, Short string
	// Name is its own name, for people.
	Name     string
	Category Category
	// Model is the model that is asked where a request names none; empty leaves it to the
	// backend.
	Model string
	// Install is the command that installs it; empty where none is known.
	Install string
	// Modes are the sandbox modes that it holds, with what each guarantees.
	Modes map[Sandbox]string
	// Doubt is why it must not be asked: its description is broken. It is nil if there is no doubt.
	Doubt error

	// program is set for those that are programs, server for those that are servers, and protocol for those that speak
	// the Agent Client Protocol. A program may speak it too.
	program  *program
	server   *Server
	protocol *protocol
}

// program is a backend that is a program.
type program struct {
	command []string
	model   []string
	kind    *agent.Kind
	agent.Headless
}

// Server is a backend that is a server.
type Server struct {
	// API is the API that it speaks: "ollama" or "openai".
	API string
	// URL is its address, without the path of a request.
	URL string
	// KeyVariable is the variable of the environment that holds its key; empty where it needs none.
	KeyVariable string
}

// FromKind returns an agent kind as a backend; false if the kind does not answer without a
// terminal. Self is the path of this executable.
func FromKind(kind *agent.Kind, self string) (*Backend, bool) {
	b := &Backend{
		ID: string(kind.ID), Short: kind.Short, Name: kind.Name, Category: CLI, Install: kind.Launch.Install,
		Modes: map[Sandbox]string{},
	}
	if kind.ACP.Given() {
		b.protocol = &protocol{kind.ACP.Argv(self), kind, kind.ACP}
	}
	switch {
	case kind.Headless.Given():
		b.program = &program{kind.Argv(self, ""), kind.Launch.Model, kind, kind.Headless}
	case b.protocol != nil:
		b, _ = b.By(ByProtocol)
	default:
		return nil, false
	}
	if kind.Doubt != nil {
		b.Doubt = core.Errorf(core.ConfigInvalid, "agents/%w", kind.Doubt)
	}
	for name, sandbox := range kind.Headless.Sandbox {
		b.Modes[Sandbox(name)] = sandbox.Guarantee
	}
	return b, true
}

// FromServer returns a server as a backend. It returns ConfigInvalid for an API that is
// not known, and for a server without an address.
func FromServer(id, name string, server Server) (*Backend, error) {
	if _, known := apis[server.API]; !known {
		return nil, core.Errorf(core.ConfigInvalid, "backends.%s.api: %q is none of %s", id, server.API,
			strings.Join(slices.Sorted(maps.Keys(apis)), ", "))
	}
	if !strings.Contains(server.URL, "://") {
		server.URL = "http://" + server.URL
	}
	address, err := url.Parse(server.URL)
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
		return nil, core.Errorf(core.ConfigInvalid, "backends.%s.url: %q is no address of a server", id, server.URL)
	}
	category := Host
	if isLocal(address) {
		category = Local
	}
	return &Backend{
		ID: id, Name: cmp.Or(name, id), Category: category,
		Modes: map[Sandbox]string{ReadOnly: serverGuarantee}, server: &server,
	}, nil
}

// ReadsFiles reports whether the backend can read the files of the directory it is asked about.
func (b *Backend) ReadsFiles() bool { return b.server == nil }

// Continues reports whether the backend itself keeps conversations.
func (b *Backend) Continues() bool {
	switch {
	case b.program != nil:
		return len(b.program.Resume) > 0
	case b.protocol != nil:
		return b.protocol.Continues != string(acp.Never)
	}
	return false
}

// totals reports whether the usage of a continued conversation covers all of it.
func (b *Backend) totals() bool {
	return b.program != nil && b.program.Totals || b.program == nil && b.protocol != nil && b.protocol.Totals
}

// Program is the name of the program that must be installed; empty for servers.
func (b *Backend) Program() string {
	switch {
	case b.program != nil:
		return b.program.command[0]
	case b.protocol != nil:
		return b.protocol.argv[0]
	}
	return ""
}

// Server returns the server of the backend; false for programs.
func (b *Backend) Server() (Server, bool) {
	if b.server == nil {
		return Server{}, false
	}
	return *b.server, true
}

// Format is the format in which the backend answers.
func (b *Backend) Format() stream.Format {
	switch {
	case b.program != nil:
		return stream.Format(b.program.Format)
	case b.protocol != nil:
		return stream.Protocol
	}
	return apis[b.server.API].format
}

// Backends are all backends, in the order of their categories and names.
type Backends []*Backend

// Sort puts the backends in order.
func (all Backends) Sort() {
	rank := []Category{CLI, Local, Host}
	slices.SortFunc(all, func(a, b *Backend) int {
		return cmp.Or(
			cmp.Compare(slices.Index(rank, a.Category), slices.Index(rank, b.Category)), cmp.Compare(a.ID, b.ID))
	})
}

// Find returns the backend with a name. An unknown one is InvalidInput, with those there are and
// the nearest.
func (all Backends) Find(name string) (*Backend, error) {
	var names, words []string
	for _, b := range all {
		if name == b.ID || name == b.Short {
			return b, b.Doubt
		}
		names = append(names, b.ID)
		words = append(words, b.ID, b.Short)
	}
	slices.Sort(names)
	return nil, &core.Error{
		Code:        core.InvalidInput,
		Message:     fmt.Sprintf("Unsupported relay backend: %s. Supported: %s", name, strings.Join(names, ", ")),
		Suggestions: near.Words(name, words), Slip: core.Slip{Word: name, Input: "to"},
	}
}
