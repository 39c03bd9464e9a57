package plugin

import (
	"encoding/json"
	"fmt"
	"strings"
)

// node is a value's position in a JSON text that may hold comments.
type node struct {
	// kind is the first byte of the value: '{', '[', '"', or of a number or word.
	kind       byte
	start, end int
	members    []member
}

// member is a value in an object or list; in a list it has no name. It starts at
// its name.
type member struct {
	name  string
	start int
	*node
}

// find returns the last member of that name, which is the one that counts.
func (n *node) find(name string) (at int, found *node) {
	for i := len(n.members) - 1; i >= 0; i-- {
		if n.members[i].name == name {
			return i, n.members[i].node
		}
	}
	return -1, nil
}

// reader reads a text of JSON.
type reader struct {
	text string
	at   int
}

// deepest is how far values may be nested.
const deepest = 200

// read parses a whole text. The error names the line.
func read(text string) (*node, error) {
	r := &reader{text: text}
	r.at = len(text) - len(strings.TrimPrefix(text, "\ufeff"))
	root, err := r.value(0)
	if err == nil {
		r.skip()
		if r.at < len(text) {
			err = r.errorf("nothing may follow the last brace")
		}
	}
	return root, err
}

func (r *reader) errorf(format string, args ...any) error {
	return fmt.Errorf("line %d: %s", lineOf(r.text, r.at), fmt.Sprintf(format, args...))
}

// lineOf counts lines from 1.
func lineOf(text string, at int) int { return 1 + strings.Count(text[:min(at, len(text))], "\n") }

// skip passes blanks and comments.
func (r *reader) skip() {
	for r.at < len(r.text) {
		rest := r.text[r.at:]
		switch {
		case strings.ContainsRune(" \t\r\n", rune(rest[0])):
			r.at++
		case strings.HasPrefix(rest, "//"):
			r.pass(rest, "\n")
		case strings.HasPrefix(rest, "/*") && strings.Contains(rest[2:], "*/"):
			r.at += 2
			r.pass(rest[2:], "*/")
		default:
			return
		}
	}
}

func (r *reader) pass(rest, end string) {
	if i := strings.Index(rest, end); i >= 0 {
		r.at += i + len(end)
		return
	}
	r.at = len(r.text)
}

func (r *reader) peek() byte {
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

func (r *reader) value(depth int) (*node, error) {
	r.skip()
	if r.at == len(r.text) {
		return nil, r.errorf("a value is missing")
	}
	if depth > deepest {
		return nil, r.errorf("too deep")
	}
	n := &node{kind: r.peek(), start: r.at}
	var err error
	switch n.kind {
	case '{':
		err = r.list(n, '}', depth)
	case '[':
		err = r.list(n, ']', depth)
	default:
		_, err = r.scalar()
	}
	n.end = r.at
	return n, err
}

// list reads the members of an object or list.
func (r *reader) list(n *node, end byte, depth int) error {
	r.at++
	for {
		r.skip()
		if r.peek() == end && len(n.members) == 0 {
			r.at++
			return nil
		}
		m := member{start: r.at}
		var err error
		if end == '}' {
			if m.name, err = r.name(); err != nil {
				return err
			}
		}
		if m.node, err = r.value(depth + 1); err != nil {
			return err
		}
		n.members = append(n.members, m)
		r.skip()
		switch r.peek() {
		case end:
			r.at++
			return nil
		case ',':
			r.at++
		default:
			return r.errorf("a comma or %q is missing", end)
		}
	}
}

func (r *reader) name() (string, error) {
	if r.peek() != '"' {
		return "", r.errorf("a name in quotes is missing")
	}
	raw, err := r.scalar()
	if err != nil {
		return "", err
	}
	var name string
	if err := json.Unmarshal([]byte(raw), &name); err != nil {
		return "", r.errorf("%v", err)
	}
	r.skip()
	if r.peek() != ':' {
		return "", r.errorf("a colon is missing")
	}
	r.at++
	return name, nil
}

// scalar reads a string, number or word.
func (r *reader) scalar() (string, error) {
	start := r.at
	if r.peek() == '"' {
		for r.at++; r.at < len(r.text) && r.text[r.at] != '"' && r.text[r.at] != '\n'; r.at++ {
			if r.text[r.at] == '\\' {
				r.at++
			}
		}
		r.at = min(r.at+1, len(r.text))
	} else {
		for r.at < len(r.text) && !strings.ContainsRune(" \t\r\n,:{}[]\"/", rune(r.text[r.at])) {
			r.at++
		}
	}
	raw := r.text[start:r.at]
	if !json.Valid([]byte(raw)) {
		r.at = start
		return "", r.errorf("%.20q is no value", r.text[start:])
	}
	return raw, nil
}
