package plugin

import (
	"errors"
	"strings"

	"github.com/tailscale/hujson"
)

// node is a value's position in a JSON text that may hold comments.
type node struct {
	kind       hujson.Kind
	start, end int
	members    []member
	// comma is the offset of the comma behind the last member; 0 if there is none.
	comma int
}

// member is a value in an object or list; in a list it has no name. It starts at
// its name.
type member struct {
	name  string
	start int
	*node
}

// find returns the last member with a name. Agents use the last one if there are several.
func (n *node) find(name string) (at int, found *node) {
	for i := len(n.members) - 1; i >= 0; i-- {
		if n.members[i].name == name {
			return i, n.members[i].node
		}
	}
	return -1, nil
}

// parse reads a whole text. The error names the line.
func parse(text string) (*node, error) {
	// A byte order mark is not JSON, but editors write it; blanks keep the offsets.
	if rest, marked := strings.CutPrefix(text, "\ufeff"); marked {
		text = "   " + rest
	}
	root, err := hujson.Parse([]byte(text))
	if err != nil {
		// The parser wants a line end behind every line comment, also the last.
		if whole, retryErr := hujson.Parse([]byte(text + "\n")); retryErr == nil {
			return nodeOf(whole), nil
		}
		return nil, errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
	}
	return nodeOf(root), nil
}

func nodeOf(v hujson.Value) *node {
	n := &node{kind: v.Value.Kind(), start: v.StartOffset, end: v.EndOffset}
	add := func(name string, start int, v hujson.Value) {
		n.members = append(n.members, member{name, start, nodeOf(v)})
		if n.comma = 0; v.AfterExtra != nil {
			n.comma = v.EndOffset + len(v.AfterExtra)
		}
	}
	switch v := v.Value.(type) {
	case *hujson.Object:
		for _, m := range v.Members {
			name, _ := m.Name.Value.(hujson.Literal) // every name is one
			add(name.String(), m.Name.StartOffset, m.Value)
		}
	case *hujson.Array:
		for _, e := range v.Elements {
			add("", e.StartOffset, e)
		}
	}
	return n
}

// lineOf counts lines from 1.
func lineOf(text string, at int) int { return 1 + strings.Count(text[:min(at, len(text))], "\n") }
