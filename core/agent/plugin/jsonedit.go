package plugin

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"
)

// document is a text of JSON and how it is laid out.
type document struct {
	text string
	root *node
	// newline and unit are its line end and one step of its indentation.
	newline, unit string
}

// open reads a text; one that is blank is an object without members.
func open(text string) (*document, error) {
	if strings.TrimSpace(text) == "" {
		text = "{}\n"
	}
	root, err := parse(text)
	if err != nil {
		return nil, err
	}
	d := &document{text: text, root: root, newline: "\n", unit: "  "}
	if strings.Contains(text, "\r\n") {
		d.newline = "\r\n"
	}
	if gap := d.gap(root); strings.Contains(gap, "\n") {
		if step := gap[strings.LastIndex(gap, "\n")+1:]; step != "" && strings.Trim(step, " \t") == "" {
			d.unit = step
		}
	}
	return d, nil
}

// gap returns the text between the opening of an object or list and its first member.
func (d *document) gap(n *node) string {
	if len(n.members) == 0 {
		return ""
	}
	return d.text[n.start+1 : n.members[0].start]
}

// spread reports whether the members of an object or list have lines of their
// own. Those of empty ones will, unless the whole text is one line.
func (d *document) spread(n *node) bool {
	if len(n.members) == 0 {
		return len(d.root.members) == 0 || strings.Contains(d.gap(d.root), "\n")
	}
	return strings.Contains(d.gap(n), "\n")
}

// indent is a line end with the indentation of a depth.
func (d *document) indent(depth int) string { return d.newline + strings.Repeat(d.unit, depth) }

// foreign marks an object or list that existed, empty, before the plugin added to it:
// it stays when the addition is removed.
const foreign = " "

// add puts a value behind the last member of an object or list. An empty name is
// for lists.
func (d *document) add(n *node, depth int, name string, value any) (string, error) {
	entry, err := d.render(value, depth+1, d.spread(n))
	if err != nil {
		return "", err
	}
	if name != "" {
		entry = quoted(name) + ": " + entry
	}
	lead, tail := "", ""
	if d.spread(n) {
		lead, tail = d.indent(depth+1), d.indent(depth)
	}
	if len(n.members) == 0 {
		at := n.start + 1
		return d.text[:at] + foreign + lead + entry + tail + d.text[at:], nil
	}
	lead = cmp.Or(lead, " ")
	at := n.members[len(n.members)-1].end
	return d.text[:at] + "," + lead + entry + d.text[at:], nil
}

// render writes a value as it looks at a depth.
func (d *document) render(value any, depth int, spread bool) (string, error) {
	prefix, unit := "", ""
	if spread {
		prefix, unit = strings.Repeat(d.unit, depth), d.unit
	}
	text, err := encode(value, prefix, unit)
	return strings.ReplaceAll(text, "\n", d.newline), err
}

// encode writes a value as JSON: in lines that begin with a prefix and units of indentation or, without both, as one.
func encode(value any, prefix, unit string) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent(prefix, unit)
	err := e.Encode(value)
	return strings.TrimSuffix(b.String(), "\n"), err
}

func quoted(name string) string {
	text, _ := json.Marshal(name) // a string always has one
	return string(text)
}

// drop takes the member at the end of a path of indexes out of the text, and with
// it every object and list that it leaves empty, unless they were there before.
// It reports whether anything is left.
func (d *document) drop(path []int) (text string, left bool) {
	if len(path) == 0 {
		around := d.text[:d.root.start] + d.text[d.root.end:]
		return d.text[:d.root.start] + "{}" + d.text[d.root.end:], strings.TrimSpace(around) != ""
	}
	n := d.root
	for _, i := range path[:len(path)-1] {
		n = n.members[i].node
	}
	i := path[len(path)-1]
	m := n.members[i]
	switch {
	case i > 0:
		return d.text[:n.members[i-1].end] + d.text[m.end:], true
	case len(n.members) > 1:
		return d.text[:m.start] + d.text[n.members[1].start:], true
	}
	before, after := d.text[n.start+1:m.start], d.text[m.end:n.end-1]
	if n.comma > 0 {
		after = d.text[m.end:n.comma] + d.text[n.comma+1:n.end-1]
	}
	if was, known := strings.CutPrefix(before, foreign); known &&
		(was == "" || strings.HasPrefix(was, "\n") || strings.HasPrefix(was, "\r\n")) {
		return d.text[:n.start+1] + strings.TrimPrefix(after, outdent(was, len(path)-1)) + d.text[n.end-1:], true
	}
	if strings.TrimSpace(before+after) != "" {
		return d.text[:m.start] + after + d.text[n.end-1:], true
	}
	return d.drop(path[:len(path)-1])
}

// outdent turns the line end and indentation of the members of an object at a
// depth into those of its end.
func outdent(lead string, depth int) string {
	steps := strings.TrimLeft(lead, "\r\n")
	return lead[:len(lead)-len(steps)] + steps[:len(steps)*depth/(depth+1)]
}
