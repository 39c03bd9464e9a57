package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"cupola/core"
	"cupola/core/config/tomlfile"
	"cupola/core/system/plainfile"
	"cupola/core/system/textfile"
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
	// faults counts what is wrong with it.
	faults int
}

// Load reads the settings. What cannot be used of them is left out and listed in Faults, and the rest holds; a missing
// file is no fault.
func Load(paths Paths, getenv func(string) string) *Config { return LoadWith(paths, getenv, nil) }

// LoadWith reads the settings as they would be after a change of one of the files; nil is none.
func LoadWith(paths Paths, getenv func(string) string, change *textfile.Change) *Config {
	c := defaults()
	c.origins = map[string]origin{}
	for _, layer := range []Layer{User, Project} {
		path := paths.Of(layer)
		if change == nil || path != change.File {
			c.readFile(layer, path)
		} else if change.After != nil {
			c.read(&file{Layer: layer, path: path, text: string(change.After)})
		}
	}
	for _, key := range keys() {
		text := getenv(key.Env())
		if text == "" {
			continue
		}
		value, err := parse(key, text)
		if err != nil {
			c.leaveOut(&Fault{Layer: Environment, Key: key.Name, Err: invalid("environment: "+key.Env(), err)})
			continue
		}
		c.put(key, value, origin{Layer: Environment, variable: key.Env()})
	}
	c.settle()
	return c
}

// Origin returns where a key's value came from.
func (c *Config) Origin(name string) Origin {
	from, known := c.origins[name]
	if section, _, below := strings.Cut(name, "."); below && !known {
		from = c.origins[section] // it is a field of an entry of a table
	}
	if from.file == nil {
		from.Layer = cmp.Or(from.Layer, Default)
		return Origin{Layer: from.Layer, Variable: from.variable}
	}
	return Origin{Layer: from.Layer, File: from.file.path, Line: tomlfile.LineOf(from.file.text, name)}
}

func (c *Config) put(key Key, value any, from origin) {
	field := c.field(key)
	field.Set(reflect.ValueOf(value).Convert(field.Type()))
	c.origins[key.Name] = from
}

// readFile takes in the file of a layer, if there is one.
func (c *Config) readFile(layer Layer, path string) {
	if path == "" {
		return
	}
	text, err := plainfile.Read(path, plainfile.Text)
	if errors.Is(err, fs.ErrNotExist) {
		if _, missing := os.Lstat(path); missing != nil {
			return
		}
		err = errors.New("it is a link to a file that does not exist")
	}
	if err != nil {
		c.leaveOut(&Fault{Layer: layer, Path: path, Whole: true, Err: unread(path, err)})
		return
	}
	c.read(&file{Layer: layer, path: path, text: string(text)})
}

// read takes in the text of a file.
func (c *Config) read(f *file) {
	var raw map[string]any
	meta, err := tomlfile.Parse(f.text, &raw)
	if err != nil {
		fault := &Fault{Layer: f.Layer, Path: f.path, Whole: true, Err: f.misread(err)}
		fault.terminals = f.Layer == User && c.salvage(f)
		c.leaveOut(fault)
		return
	}
	if n := len(meta.Keys()); n > mostKeys {
		err := fmt.Errorf("it has %d keys, more than %d", n, mostKeys)
		c.leaveOut(&Fault{Layer: f.Layer, Path: f.path, Whole: true, Err: invalid(f.path, err)})
		return
	}
	if fault := f.forbidden(raw); fault != nil {
		c.leaveOut(fault)
		return
	}
	unknown := ""
	for _, name := range meta.Keys() {
		whole := name.String()
		if unknown != "" && strings.HasPrefix(whole, unknown+".") {
			continue // the fault of its table covers it
		}
		fault := c.accept(f, name, raw)
		if fault != nil {
			c.leaveOut(fault)
			unknown = whole
		}
	}
	for _, key := range keys() {
		if value := at(raw, toml.Key{key.Name}); key.Type == table && value != nil {
			c.merge(f, key, value)
		}
	}
}

// forbidden returns the fault of a project's file that sets what is the user's own to decide. Nothing of such a file
// is used.
func (f *file) forbidden(raw map[string]any) *Fault {
	if f.Layer != Project {
		return nil
	}
	for _, key := range keys() {
		if key.Guard == "" || at(raw, strings.Split(key.Name, ".")) == nil {
			continue
		}
		fault := f.fault(key.Name, fmt.Errorf("a project's file cannot set %s: %s", key.Name, key.Guard))
		fault.Err.Remedies = []core.Remedy{core.RemedyMoveToUser}
		fault.Whole = true
		return fault
	}
	return nil
}

// accept takes in one key of a file; the fault is nil if it holds.
func (c *Config) accept(f *file, name toml.Key, raw map[string]any) *Fault {
	value := at(raw, name)
	i := indexOf(name.String())
	if i < 0 {
		return f.beside(name, value)
	}
	key := keys()[i]
	if key.Type == table {
		return nil
	}
	fit, err := convert(key, value)
	if err != nil {
		return f.fault(key.Name, err)
	}
	c.put(key, fit, origin{Layer: f.Layer, file: f})
	return nil
}

// beside judges a name in a file that is no key: a section, something below a
// table, or a mistake.
func (f *file) beside(name toml.Key, value any) *Fault {
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
	fault := f.fault(whole, fmt.Errorf("unknown key %s", core.Cut(whole)))
	fault.Unknown = true
	if f.faults <= mostFaults {
		suggest(fault.Err, whole)
	}
	return fault
}

// merge takes in a table: what its entries set wins over those of the same name. An entry with a value that cannot be
// used is left out whole, for the rest of it would say something else.
func (c *Config) merge(f *file, key Key, value any) {
	if _, isTable := value.(map[string]any); !isTable {
		c.leaveOut(f.fault(key.Name, fmt.Errorf("%s is a section; write it as [%s]", key.Name, key.Name)))
		return
	}
	scratch := &Config{}
	problems := tomlfile.Check(f.text, scratch)
	if len(problems) >= tomlfile.MostProblems {
		c.leaveOut(f.fault(key.Name, errors.New("too much of the file is wrong")))
		return
	}
	merged, added := reflect.MakeMap(c.field(key).Type()), scratch.field(key)
	for name, entry := range c.field(key).Seq2() {
		merged.SetMapIndex(name, entry)
	}
	for _, name := range slices.Sorted(maps.Keys(value.(map[string]any))) { //nolint:errcheck // its type was seen
		whole := key.Name + "." + name
		entry := added.MapIndex(reflect.ValueOf(name))
		sound, reported := entry.IsValid(), false
		for i := range problems {
			if p := &problems[i]; p.Name == whole || strings.HasPrefix(p.Name, whole+".") {
				fault := f.problem(p)
				c.leaveOut(fault)
				sound, reported = sound && !fault.misleads(), true
			}
		}
		if sound {
			if fault := f.below(whole, entry); fault != nil {
				c.leaveOut(fault)
				sound = false
			}
		}
		if own, checks := entry.Interface().(interface{ unfit(name string) error }); sound && checks {
			if err := own.unfit(whole); err != nil {
				if sound = false; !reported { // it may lack what a newer version has in its place
					c.leaveOut(f.fault(whole, err))
				}
			}
		}
		if sound {
			merged.SetMapIndex(reflect.ValueOf(name), over(merged.MapIndex(reflect.ValueOf(name)), entry))
		}
	}
	c.put(key, merged.Interface(), origin{Layer: f.Layer, file: f})
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

// below returns the fault of an entry with a number that is less than nothing; nil if there is none.
func (f *file) below(whole string, entry reflect.Value) *Fault {
	for i := range entry.NumField() {
		field := entry.Field(i)
		if field.CanFloat() && field.Float() < 0 || field.CanInt() && field.Int() < 0 {
			return f.fault(whole, fmt.Errorf("%s has %s = %v; it must be 0 or more", whole,
				entry.Type().Field(i).Tag.Get("toml"), field))
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
func (f *file) fault(name string, err error) *Fault {
	where := f.path
	f.faults++
	if f.faults <= mostFaults { // to find the line of each would take too long
		if line := tomlfile.LineOf(f.text, name); line > 0 {
			where = fmt.Sprintf("%s: line %d", f.path, line)
		}
	}
	return &Fault{Layer: f.Layer, Path: f.path, Key: name, Err: invalid(where, err)}
}

// problem is the fault of a key below a table.
func (f *file) problem(p *tomlfile.Problem) *Fault {
	err := invalid(fmt.Sprintf("%s: line %d", f.path, p.Line), errors.New(p.What))
	err.Hint = p.Hint
	for _, word := range p.Suggestions {
		err.Suggestions = append(err.Suggestions, p.Name[:strings.LastIndexByte(p.Name, '.')+1]+word)
	}
	return &Fault{Layer: f.Layer, Path: f.path, Key: p.Name, Unknown: p.Unknown, Err: err}
}

// misread says what the parser found wrong.
func (f *file) misread(err error) *core.Error {
	line, what := tomlfile.Fault(err)
	return invalid(fmt.Sprintf("%s: line %d", f.path, line), errors.New(what))
}

// unread says why a file cannot be read.
func unread(path string, err error) *core.Error {
	if said, is := errors.AsType[*fs.PathError](err); is {
		err = said.Err
	}
	e := invalid(path, err)
	if errors.Is(err, fs.ErrPermission) {
		e.Code = core.PermissionDenied
	}
	return e
}

func invalid(where string, err error) *core.Error {
	e := core.Errorf(core.ConfigInvalid, "%s: %w", where, err)
	if cause, is := errors.AsType[*unfit](err); is {
		e.Suggestions = cause.suggestions
	}
	return e
}
