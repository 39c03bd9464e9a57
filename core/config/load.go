package config

import (
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strings"

	"github.com/BurntSushi/toml"

	"cupola/core"
	"cupola/core/plainfile"
	"cupola/core/tomlfile"
)

// Layer is where a value can come from.
type Layer string

// The layers; each wins over those before it.
const (
	Default     Layer = "default"
	User        Layer = "user"
	Project     Layer = "project"
	Environment Layer = "environment"
)

// Origin is where a value came from.
type Origin struct {
	Layer Layer
	// File and Line are the place in a file; empty and 0 for other layers.
	File string
	Line int
	// Variable is the environment variable; empty for other layers.
	Variable string
}

// String returns FILE:LINE, the variable's name, or "default".
func (o Origin) String() string {
	switch {
	case o.File != "":
		return fmt.Sprintf("%s:%d", o.File, o.Line)
	case o.Variable != "":
		return o.Variable
	}
	return string(Default)
}

// origin is an Origin whose line is not yet known.
type origin struct {
	Layer
	file     *file
	variable string
}

// file is a settings file that was read.
type file struct {
	Layer
	path, text string
}

// Load reads the settings. A missing file is no error. It returns ConfigInvalid, with the
// line, for a file that cannot be read or parsed.
func Load(paths Paths, getenv func(string) string) (*Config, error) {
	c := defaults()
	c.origins = map[string]origin{}
	for _, layer := range []Layer{User, Project} {
		if err := c.readFile(layer, paths.Of(layer)); err != nil {
			return nil, err
		}
	}
	for _, key := range keys() {
		text := getenv(key.Env())
		if text == "" {
			continue
		}
		value, err := parse(key, text)
		if err != nil {
			return nil, invalid("environment: "+key.Env(), err)
		}
		c.put(key, value, origin{Layer: Environment, variable: key.Env()})
	}
	return c, nil
}

// Origin returns where a key's value came from.
func (c *Config) Origin(name string) Origin {
	from := c.origins[name]
	if from.file == nil {
		if from.Layer == "" {
			from.Layer = Default
		}
		return Origin{Layer: from.Layer, Variable: from.variable}
	}
	return Origin{Layer: from.Layer, File: from.file.path, Line: tomlfile.LineOf(from.file.text, name)}
}

func (c *Config) put(key Key, value any, from origin) {
	c.field(key).Set(reflect.ValueOf(value))
	c.origins[key.Name] = from
}

func (c *Config) readFile(layer Layer, path string) error {
	if path == "" {
		return nil
	}
	text, err := plainfile.Read(path, plainfile.Text)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return invalid(path, err)
	}
	return c.read(&file{layer, path, string(text)})
}

// read takes in the text of a file.
func (c *Config) read(f *file) error {
	var raw map[string]any
	meta, err := tomlfile.Parse(f.text, &raw)
	if err != nil {
		return f.misread(err)
	}
	for _, name := range meta.Keys() {
		if err := c.accept(f, name, raw); err != nil {
			return err
		}
	}
	for _, key := range keys() {
		if value := at(raw, toml.Key{key.Name}); key.Type == table && value != nil {
			if err := c.merge(f, key, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// accept takes in one key of a file.
func (c *Config) accept(f *file, name toml.Key, raw map[string]any) error {
	value := at(raw, name)
	i := indexOf(name.String())
	if i < 0 {
		return c.beside(f, name, value)
	}
	key := keys()[i]
	if key.Type == table {
		return nil
	}
	fit, err := take(key, value)
	if err != nil {
		return f.fault(key.Name, err)
	}
	if err := f.guard(key); err != nil {
		return err
	}
	c.put(key, fit, origin{Layer: f.Layer, file: f})
	return nil
}

// guard keeps a project's file from what is the user's own to decide.
func (f *file) guard(key Key) error {
	if f.Layer != Project || key.Guard == "" {
		return nil
	}
	err := f.fault(key.Name, fmt.Errorf("a project's file cannot set %s: %s", key.Name, key.Guard))
	err.Remedies = []core.Remedy{core.RemedyMoveToUser}
	return err
}

// beside judges a name in a file that is no key: a section, something below a
// table, or a mistake.
func (c *Config) beside(f *file, name toml.Key, value any) error {
	whole := name.String()
	_, isTable := value.(map[string]any)
	for _, key := range keys() {
		switch {
		case key.Type == table && strings.HasPrefix(whole, key.Name+"."):
			return nil
		case strings.HasPrefix(key.Name, whole+".") && isTable:
			return nil
		case strings.HasPrefix(key.Name, whole+"."):
			return f.fault(whole, fmt.Errorf("%s is a section; write it as [%s]", whole, whole))
		}
	}
	return f.unknown(whole)
}

func (f *file) unknown(name string) error {
	err := f.fault(name, fmt.Errorf("unknown key %s", name))
	suggest(err, name)
	return err
}

// merge takes in a table: what its entries set wins over those of the same name.
func (c *Config) merge(f *file, key Key, value any) error {
	if _, isTable := value.(map[string]any); !isTable {
		return f.fault(key.Name, fmt.Errorf("%s is a section; write it as [%s]", key.Name, key.Name))
	}
	if err := f.guard(key); err != nil {
		return err
	}
	scratch := &Config{}
	meta, err := tomlfile.Parse(f.text, scratch)
	if err != nil {
		return f.misread(err)
	}
	for _, name := range meta.Undecoded() {
		if strings.HasPrefix(name.String(), key.Name+".") {
			return f.unknown(name.String())
		}
	}
	merged, added := reflect.MakeMap(c.field(key).Type()), scratch.field(key)
	for name, entry := range c.field(key).Seq2() {
		merged.SetMapIndex(name, entry)
	}
	for name, entry := range added.Seq2() {
		merged.SetMapIndex(name, over(merged.MapIndex(name), entry))
	}
	c.put(key, merged.Interface(), origin{Layer: f.Layer, file: f})
	return f.below(key, added)
}

// over returns a struct with what another one sets put over it; the zero Value is a struct
// that sets nothing.
func over(base, set reflect.Value) reflect.Value {
	if !base.IsValid() {
		return set
	}
	whole := reflect.New(set.Type()).Elem()
	whole.Set(base)
	for i := range set.NumField() {
		if !set.Field(i).IsZero() {
			whole.Field(i).Set(set.Field(i))
		}
	}
	return whole
}

// below finds a number in the entries of a table that is less than nothing.
func (f *file) below(key Key, entries reflect.Value) error {
	for name, entry := range entries.Seq2() {
		for i := range entry.NumField() {
			field := entry.Field(i)
			if field.CanFloat() && field.Float() < 0 || field.CanInt() && field.Int() < 0 {
				whole := key.Name + "." + name.String()
				return f.fault(whole,
					fmt.Errorf("%s has %s = %v; it must be 0 or more", whole, entry.Type().Field(i).Tag.Get("toml"),
						field))
			}
		}
	}
	return nil
}

// at is the value of a name; nil if there is none.
func at(raw map[string]any, name toml.Key) any {
	var value any = raw
	for _, part := range name {
		section, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = section[part]
	}
	return value
}

// fault says what is wrong with a key in the file.
func (f *file) fault(name string, err error) *core.Error {
	where := f.path
	if line := tomlfile.LineOf(f.text, name); line > 0 {
		where = fmt.Sprintf("%s: line %d", f.path, line)
	}
	return invalid(where, err)
}

// misread says what the parser found wrong.
func (f *file) misread(err error) error {
	line, what := tomlfile.Fault(err)
	return invalid(fmt.Sprintf("%s: line %d", f.path, line), errors.New(what))
}

func invalid(where string, err error) *core.Error {
	e := core.Errorf(core.ConfigInvalid, "%s: %w", where, err)
	if cause := new(unfit); errors.As(err, &cause) {
		e.Suggestions = cause.suggestions
	}
	return e
}
