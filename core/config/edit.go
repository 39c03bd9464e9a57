package config

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"cupola/core"
	"cupola/core/config/tomlfile"
	"cupola/core/system/textfile"
)

// Set plans to set a key in the file of a layer. Comments, order and all other keys of the
// file stay. One text is parsed as the key's type; several are the items of a list. It
// returns InvalidInput for an unknown key or an invalid value, and ConfigInvalid for a file
// that cannot be edited.
func Set(paths Paths, layer Layer, name string, texts []string) (*textfile.Change, error) {
	key, err := settable(layer, name)
	if err != nil {
		return nil, err
	}
	value, err := valueOf(key, texts)
	if err != nil {
		e := invalid("", err)
		e.Code, e.Message = core.InvalidInput, err.Error()
		return nil, e
	}
	return paths.edit(layer, func(text string) string { return with(text, key, value) }, func(raw map[string]any) {
		put(raw, strings.Split(name, "."), asRead(value))
	})
}

// Unset plans to remove a key from the file of a layer, also a key that is not allowed
// there. Without the key in the file, the plan changes nothing.
func Unset(paths Paths, layer Layer, name string) (*textfile.Change, error) {
	change, err := paths.edit(layer, func(text string) string { return without(text, name) }, func(raw map[string]any) {
		put(raw, strings.Split(name, "."), nil)
	})
	if err == nil && !change.Changes() && indexOf(name) < 0 {
		_, err = KeyNamed(name)
	}
	return change, err
}

// settable is a key that the file of a layer may set.
func settable(layer Layer, name string) (Key, error) {
	key, err := KeyNamed(name)
	switch {
	case err != nil:
		return key, err
	case key.Type == table:
		return key, &core.Error{
			Code: core.InvalidInput, Message: name + " is a section of its own",
			Remedies: []core.Remedy{core.RemedyEditSettings},
		}
	case layer == Project && key.Guard != "":
		return key, &core.Error{
			Code: core.InvalidInput, Message: fmt.Sprintf("a project's file cannot set %s: %s", name, key.Guard),
			Remedies: []core.Remedy{core.RemedySetForUser},
		}
	}
	return key, nil
}

func valueOf(key Key, texts []string) (any, error) {
	switch {
	case !utf8.ValidString(strings.Join(texts, "")):
		return nil, &unfit{text: key.Name + " is not UTF-8"}
	case len(texts) == 1:
		return parse(key, texts[0])
	case key.Type == "list":
		items := core.Map(texts, func(text string) any { return text })
		return convert(key, items)
	}
	return nil, &unfit{text: fmt.Sprintf("%s takes one value, not %d", key.Name, len(texts))}
}

// edit plans a change of a layer's text. What the text says afterwards must be
// what it said before, changed by expect: so no way to write TOML is ever
// misunderstood for another.
func (p Paths) edit(layer Layer, change func(string) string, expect func(map[string]any)) (*textfile.Change, error) {
	path := p.Of(layer)
	before, err := textfile.Read(path)
	if err != nil {
		return nil, err
	}
	want := map[string]any{}
	if _, err := tomlfile.Parse(string(before), &want); err != nil {
		return nil, (&file{Layer: layer, path: path, text: string(before)}).misread(err)
	}
	after := change(string(before))
	expect(want)
	got := map[string]any{}
	if _, err := tomlfile.Parse(after, &got); err != nil || !reflect.DeepEqual(prune(got), prune(want)) {
		e := invalid(path, errors.New("the file is written in a way in which the key cannot be changed alone"))
		e.Remedies = []core.Remedy{core.RemedyEditSettings}
		return nil, e
	}
	planned := &textfile.Change{File: path, Before: before, After: []byte(after)}
	if layer == Project {
		// It is committed, and read by all who work on the project.
		planned.Mode = 0o644
	}
	if before == nil && after == "" {
		planned.After = nil
	}
	return planned, nil
}

// put changes a value in what TOML gave; nil takes it out.
func put(raw map[string]any, name []string, value any) {
	for _, section := range name[:len(name)-1] {
		inner, ok := raw[section].(map[string]any)
		if !ok {
			if value == nil {
				return
			}
			inner = map[string]any{}
			raw[section] = inner
		}
		raw = inner
	}
	if last := name[len(name)-1]; value == nil {
		delete(raw, last)
	} else {
		raw[last] = value
	}
}

// prune takes out sections without keys, which say nothing.
func prune(raw map[string]any) map[string]any {
	for name, value := range raw {
		if inner, ok := value.(map[string]any); ok && len(prune(inner)) == 0 {
			delete(raw, name)
		}
	}
	return raw
}

// asRead is a value as it is read from a file that holds it.
func asRead(value any) any {
	var holder map[string]any
	if _, err := tomlfile.Parse("v = "+literal(value), &holder); err != nil {
		panic("config: " + err.Error())
	}
	return holder["v"]
}

// Init plans the user's first file, which contains every key with its default as a comment.
// It returns AlreadyExists if there is a file, unless force is true.
func Init(paths Paths, force bool) (*textfile.Change, error) {
	before, err := textfile.Read(paths.File())
	if err != nil {
		return nil, err
	}
	if before != nil && !force {
		return nil, &core.Error{
			Code: core.AlreadyExists, Message: paths.File() + " exists",
			Remedies: []core.Remedy{core.RemedyReplaceSettings},
		}
	}
	return &textfile.Change{File: paths.File(), Before: before, After: []byte(template())}, nil
}
