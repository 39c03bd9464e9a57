package bridge

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/BurntSushi/toml"

	"cupola/core/config/tomlfile"
	"cupola/core/text/near"
)

// document is a tool's file.
type document struct {
	Tool       string
	Name       string
	Gives      string
	Install    string
	Home       string
	Unproven   string
	Programs   []string
	Version    []string
	Deprecated []string
	Flag       map[string]Flag
	Action     map[string]toml.Primitive
}

// decode puts the keys of a file over those of the tool. Errors name the file
// and, where the text cannot be read or has a key that means nothing, the line.
func (t *Tool) decode(file, text string) error {
	doc := document{
		Tool: t.ID, Name: t.Name, Gives: t.Gives, Install: t.Install, Home: t.Home, Programs: t.Programs,
		Version: t.Version, Deprecated: t.Deprecated,
	}
	meta, err := tomlfile.Parse(text, &doc)
	if err != nil {
		return syntax(file, err)
	}
	if doc.Tool != t.ID {
		return fmt.Errorf("%s: it says that it is the tool %q", file, doc.Tool)
	}
	t.Name, t.Gives, t.Install, t.Home, t.Programs, t.Version, t.Deprecated = doc.Name, doc.Gives, doc.Install,
		doc.Home, doc.Programs, doc.Version, doc.Deprecated
	t.Unproven = doc.Unproven
	if t.Flags == nil {
		t.Flags, t.Actions = map[string]Flag{}, map[string]*Action{}
	}
	maps.Copy(t.Flags, doc.Flag)
	for name, table := range doc.Action {
		action := t.Actions[name]
		if action == nil {
			action = &Action{Name: name, Tool: t, Effect: "reads", Map: "."}
			t.Actions[name] = action
		}
		if err := tomlfile.Fill(text, &meta, table, action, "action", name); err != nil {
			return syntax(file, err)
		}
	}
	if err := t.foreign(file, text, meta.Undecoded()); err != nil {
		return err
	}
	if err := t.check(); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// mostUnknown is how many unknown keys of a file are reported.
const mostUnknown = 10

// foreign records a fault for each key of a file that does not exist. It returns an error for one that was probably
// meant for one that does: without it the tool would be something else, such as one that only reads.
func (t *Tool) foreign(file, text string, keys []toml.Key) error {
	for i, key := range keys {
		if i == mostUnknown {
			break
		}
		near := meant(key)
		err := fmt.Errorf("%s:%d: no such key: %s%s", file, tomlfile.LineOf(text, key.String()), key, near)
		if near != "" {
			return err
		}
		t.unknown = append(t.unknown, err)
	}
	return nil
}

// syntax puts file and line before what the parser says.
func syntax(file string, err error) error {
	line, what := tomlfile.Fault(err)
	return fmt.Errorf("%s:%d: %s", file, line, what)
}

// meant is the near miss of a key that no file has.
func meant(key toml.Key) string {
	word, table := key[len(key)-1], key[:len(key)-1]
	keys := tomlfile.Keys(reflect.TypeFor[document](), table...)
	if len(table) > 1 && table[0] == "action" {
		keys = tomlfile.Keys(reflect.TypeFor[Action](), table[2:]...)
	}
	if found := near.Words(word, keys); len(found) > 0 {
		return "; did you mean " + found[0] + "?"
	}
	return ""
}

// ActionNames returns the names of the actions, sorted.
func (t *Tool) ActionNames() []string { return slices.Sorted(maps.Keys(t.Actions)) }

// check returns an error for a tool that cannot be run.
func (t *Tool) check() error {
	if len(t.Programs) == 0 {
		return errors.New("no programs are named")
	}
	for _, name := range t.ActionNames() {
		if err := t.Actions[name].check(); err != nil {
			return fmt.Errorf("action %s: %w", name, err)
		}
	}
	return nil
}

func (a *Action) check() error {
	if a.Short == "" || len(a.Argv) == 0 {
		return errors.New("it has no description, or no arguments")
	}
	if !slices.Contains([]string{"reads", "writes", "destroys"}, a.Effect) {
		return fmt.Errorf("its effect %q is not one of reads, writes, destroys", a.Effect)
	}
	for _, name := range slices.Concat(a.Require, slices.Collect(maps.Keys(a.Default)), a.named()) {
		if !slices.Contains(a.Takes, name) {
			return fmt.Errorf("%s is not among what it takes", name)
		}
	}
	if a.Argument != "" && !slices.Contains(a.Takes, a.Argument) {
		return fmt.Errorf("its argument %s is not among what it takes", a.Argument)
	}
	columns := slices.Clone(a.Fields)
	if a.List != nil {
		columns = append(columns, a.List.Columns...)
		if a.List.Name == "" || len(a.List.Columns) == 0 {
			return errors.New("its list has no name or no columns")
		}
	}
	for _, column := range columns {
		if _, err := column.typed(nil); err != nil {
			return err
		}
	}
	return nil
}

// named are the modifiers in the template.
func (a *Action) named() []string {
	var names []string
	for _, group := range a.Argv {
		for _, word := range group {
			for _, match := range placeholder().FindAllStringSubmatch(word, -1) {
				if match[2] != reachModifier {
					names = append(names, match[2])
				}
			}
		}
	}
	return names
}

// Verify returns an error if the action's expression does not compile.
func (a *Action) Verify() error {
	if _, err := compile(a.Map); err != nil {
		return fmt.Errorf("the map of %s-%s: %w", a.Tool.ID, a.Name, err)
	}
	return nil
}
