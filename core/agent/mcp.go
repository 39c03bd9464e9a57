package agent

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// MCP is the file that configures the MCP servers of an agent of a kind.
type MCP struct {
	// Home and Dir name the folder that File is in, as in Install. A File that ends with .toml is TOML, others are
	// JSON, which may have comments.
	Home, Dir, File string
	// Table is the name of the object of all servers.
	Table string
	// Entry is the value of a server there, as JSON, with the arguments ["mcp"] at the end of a list; Self in it is
	// replaced by Cupola's executable, and Fleet in a list by FleetVariables.
	Entry string
	// Environment names the object of the server's variables in Entry; empty is env.
	Environment string
	// Note is a sentence about the time at which the agent reads it.
	Note string
}

// Given reports whether the kind takes MCP servers.
func (m *MCP) Given() bool { return m.File != "" }

// Fleet is replaced by FleetVariables where it is an item of a list in an Entry.
const Fleet = "{fleet}"

// FleetVariables decide which fleet a process sees: where its terminals, settings and records are.
var FleetVariables = []string{
	"TMUX_TMPDIR", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
	"CUPOLA_ENGINE_KIND", "CUPOLA_ENGINE_SOCKET", "CUPOLA_ENGINE_TRANSPORT",
}

// MCPServer is Cupola's entry among the MCP servers of an agent.
type MCPServer struct {
	// Self is Cupola's executable.
	Self string
	// Environment has the values of FleetVariables that are set: agents that a desktop starts lack them.
	Environment map[string]string
	// Arguments follow the argument mcp.
	Arguments []string
}

// mcpEnd ends the list of an Entry that has the arguments.
const mcpEnd = `"mcp"]`

// Server is the value of Cupola's server, as JSON.
func (m *MCP) Server(s MCPServer) string {
	quoted := func(value any) string {
		text, _ := json.Marshal(value) // texts and maps of texts always have one
		return string(text)
	}
	entry := strings.ReplaceAll(m.Entry, quoted(Self), quoted(s.Self))
	entry = strings.ReplaceAll(entry, quoted(Fleet), strings.Trim(quoted(FleetVariables), "[]"))
	if len(s.Arguments) > 0 {
		all := quoted(append([]string{"mcp"}, s.Arguments...))
		entry = strings.Replace(entry, mcpEnd, strings.TrimPrefix(all, "["), 1)
	}
	if len(s.Environment) > 0 {
		entry = strings.TrimSuffix(strings.TrimSpace(entry), "}") + ", " +
			quoted(cmp.Or(m.Environment, "env")) + ": " + quoted(s.Environment) + "}"
	}
	return entry
}

// SameServer reports whether two values are Cupola's server, whatever its variables and further arguments.
func (m *MCP) SameServer(a, b string) bool {
	left, right := m.plain(a), m.plain(b)
	return left != nil && reflect.DeepEqual(left, right)
}

// plain is a value without what differs from user to user; nil if it is no object.
func (m *MCP) plain(entry string) map[string]any {
	var value map[string]any
	if json.Unmarshal([]byte(entry), &value) != nil {
		return nil
	}
	delete(value, cmp.Or(m.Environment, "env"))
	for key, list := range value {
		items, _ := list.([]any)
		if at := slices.Index(items, any("mcp")); at >= 0 {
			value[key] = items[:at+1]
		}
	}
	return value
}

func (m *MCP) check(src source) error {
	switch {
	case !m.Given() && *m != MCP{}:
		return src.errorf(toml.Key{"mcp", "file"}, "is missing")
	case !m.Given():
		return nil
	case !filepath.IsLocal(m.File):
		return src.errorf(toml.Key{"mcp", "file"}, "%q leads out of the folder", m.File)
	case m.Table == "":
		return src.errorf(toml.Key{"mcp", "table"}, "is missing")
	case !json.Valid([]byte(m.Entry)) || !strings.Contains(m.Entry, `"`+Self+`"`) || !strings.Contains(m.Entry, mcpEnd):
		return src.errorf(toml.Key{"mcp", "entry"}, "%q is no JSON with %q and %s in it", m.Entry, Self, mcpEnd)
	}
	return nil
}
