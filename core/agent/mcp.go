package agent

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"
)

// MCP says where the MCP servers of an agent of a kind are configured.
type MCP struct {
	// Home and Dir name the folder that File is in, as in Install. A File that ends with .toml is TOML, others are
	// JSON, which may have comments.
	Home, Dir, File string
	// Table is the name of the object of all servers.
	Table string
	// Entry is the value of a server there, as JSON; Self in it is replaced by Cupola's executable.
	Entry string
	// Note says when the agent reads it.
	Note string
}

// Given reports whether the kind takes MCP servers.
func (m *MCP) Given() bool { return m.File != "" }

// Server is the value of Cupola's server, whose executable is self, as JSON.
func (m *MCP) Server(self string) string {
	quoted, _ := json.Marshal(self) // a string always has one
	return strings.ReplaceAll(m.Entry, `"`+Self+`"`, string(quoted))
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
	case !json.Valid([]byte(m.Entry)) || !strings.Contains(m.Entry, `"`+Self+`"`):
		return src.errorf(toml.Key{"mcp", "entry"}, "%q is no JSON with %q in it", m.Entry, Self)
	}
	return nil
}
