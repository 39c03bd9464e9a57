package plugin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// group is an entry of an event: what it matches, and what is run then.
type group struct {
	Matcher string `json:"matcher,omitempty"`
	Hooks   []hook `json:"hooks"`
}

type hook struct {
	Name    string `json:"name,omitempty"`
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout,omitempty"`
}

// object is an object whose names keep their order.
type object []struct {
	name  string
	value any
}

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		value, err := encode(m.value, "", "")
		if err != nil {
			return nil, err
		}
		b.WriteString(quoted(m.name) + ":" + value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// entry returns the entry that is installed for every event.
func (p *Plugin) entry() group {
	return group{
		Matcher: p.spec.Matcher,
		Hooks:   []hook{{Name: p.spec.Name, Type: "command", Command: p.Command, Timeout: p.spec.Timeout}},
	}
}

// wanted is the object of all events.
func (p *Plugin) wanted() object {
	var events object
	for _, event := range p.spec.Events {
		events = append(events, struct {
			name  string
			value any
		}{event, []group{p.entry()}})
	}
	return events
}

// fresh is a settings file of our own. Its end says how many folders were made
// for it: it ends in a line end if none was.
func (p *Plugin) fresh(folders int) (string, error) {
	d := &document{newline: "\n", unit: "  "}
	text, err := d.render(object{{"hooks", p.wanted()}}, 0, true)
	if folders == 0 {
		return text + "\n", err
	}
	return text + strings.Repeat(" ", folders-1), err
}

func foldersBehind(text string) int {
	end := text[strings.LastIndex(text, "}")+1:]
	if strings.Trim(end, " ") != "" {
		return 0
	}
	return len(end) + 1
}

// with puts the hooks into settings that hold none of them.
func (p *Plugin) with(text string) (string, error) {
	d, err := open(text)
	if err != nil {
		return "", err
	}
	_, hooks := d.root.find("hooks")
	if hooks == nil {
		return d.add(d.root, 0, "hooks", p.wanted())
	}
	for _, event := range p.spec.Events {
		if _, hooks = d.root.find("hooks"); hooks == nil {
			return "", errors.New("the hooks are gone")
		}
		if _, groups := hooks.find(event); groups != nil {
			text, err = d.add(groups, 2, "", p.entry())
		} else {
			text, err = d.add(hooks, 1, event, []group{p.entry()})
		}
		if err == nil {
			d, err = open(text)
		}
		if err != nil {
			return "", err
		}
	}
	return text, nil
}

// without takes everything of ours out; it reports whether anything is left.
// Where there is no text, nothing is.
func (p *Plugin) without(text string, exists bool) (rest string, left bool, err error) {
	for left = exists; left; {
		d, err := open(text)
		if err != nil {
			return "", false, err
		}
		found, err := p.find(d)
		if err != nil || len(found) == 0 {
			return text, true, err
		}
		text, left = d.drop(found[0].path)
	}
	return "", false, nil
}

// ours is something that was installed.
type ours struct {
	event string
	path  []int
	// text is the whole entry; whole is false if it also holds foreign commands.
	text  string
	whole bool
}

// find returns everything of ours in the order of the file.
func (p *Plugin) find(d *document) ([]ours, error) {
	if d.root.kind != '{' {
		return nil, errors.New("line 1: the settings are no object")
	}
	at, hooks := d.root.find("hooks")
	if hooks == nil {
		return nil, nil
	}
	if hooks.kind != '{' {
		return nil, fmt.Errorf("line %d: hooks is no object", lineOf(d.text, hooks.start))
	}
	var found []ours
	for e, event := range hooks.members {
		if event.kind != '[' {
			if slices.Contains(p.spec.Events, event.name) {
				return nil, fmt.Errorf("line %d: hooks.%s is no list", lineOf(d.text, event.start), event.name)
			}
			continue
		}
		for g, entry := range event.members {
			c, commands := entry.find("hooks")
			if commands == nil || commands.kind != '[' {
				continue
			}
			whole, text := p.own(d, commands), d.text[entry.node.start:entry.end]
			for i, marked := range whole {
				if !marked {
					continue
				}
				o := ours{event: event.name, path: []int{at, e, g}, text: text, whole: !slices.Contains(whole, false)}
				if !o.whole {
					o.path = append(o.path, c, i)
				}
				found = append(found, o)
				if o.whole {
					break
				}
			}
		}
	}
	return found, nil
}

// own says of each command of a list whether it is ours.
func (p *Plugin) own(d *document, commands *node) []bool {
	marked := make([]bool, len(commands.members))
	for i, m := range commands.members {
		_, command := m.find("command")
		var text string
		if command != nil && json.Unmarshal([]byte(d.text[command.start:command.end]), &text) == nil {
			marked[i] = strings.HasSuffix(text, tail(p.Kind))
		}
	}
	return marked
}

func (p *Plugin) commandsStatus(text string) (Status, error) {
	d, err := open(text)
	if err != nil {
		return Status{}, p.undecoded(err)
	}
	found, err := p.find(d)
	if err != nil {
		return Status{}, p.undecoded(err)
	}
	if len(found) == 0 {
		return Status{State: Absent}, nil
	}
	status := Status{State: Installed}
	seen := map[string]bool{}
	for _, o := range found {
		if problem := p.problem(o, seen[o.event]); problem != "" {
			status.Problems = append(status.Problems, o.event+" "+problem)
		}
		seen[o.event] = true
	}
	for _, event := range p.spec.Events {
		if !seen[event] {
			status.Problems = append(status.Problems, event+" is missing")
		}
	}
	if len(status.Problems) > 0 {
		status.State = Drifted
	}
	for path, value := range p.spec.Off {
		if d.at(path) == value {
			status.Problems = append(status.Problems, fmt.Sprintf("%s is %s, which turns all hooks off", path, value))
		}
	}
	return status, nil
}

// problem says what is wrong with something of ours; empty if nothing is.
func (p *Plugin) problem(o ours, again bool) string {
	var got group
	// Comments and trailing commas that an editor added change nothing.
	text, err := hujson.Standardize([]byte(o.text))
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err = errors.Join(err, d.Decode(&got))
	switch want := p.entry(); {
	case !slices.Contains(p.spec.Events, o.event):
		return "is not wanted"
	case again:
		return "is there more than once"
	case err == nil && reflect.DeepEqual(got, want):
		return ""
	case err == nil && len(got.Hooks) == 1 && got.Hooks[0].Command != p.Command:
		return "runs " + strings.TrimSuffix(got.Hooks[0].Command, tail(p.Kind))
	}
	return "was edited"
}

// at returns the text of the value at a path of names parted by dots; empty if
// there is none.
func (d *document) at(path string) string {
	n := d.root
	for _, name := range strings.Split(path, ".") {
		if _, n = n.find(name); n == nil {
			return ""
		}
	}
	return d.text[n.start:n.end]
}
