package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"cupola/core"
)

// loader collects kinds from files.
type loader struct{ kinds []*Kind }

// document is a kind's file.
type document struct {
	ID       core.Kind
	Short    string
	Name     string
	Launch   Launch
	Process  Process
	Keys     Keys
	Typing   Typing
	History  bool
	Composer composerSpec
	Rule     map[string]toml.Primitive
}

// file reads one file into the kinds. What comes with Cupola is held to its
// meaning by tests, so only foreign files are checked here.
func (l *loader) file(dir fs.FS, name string, foreign bool) error {
	text, err := fs.ReadFile(dir, name)
	if err != nil {
		return fmt.Errorf("read agent kind: %w", err)
	}
	src := source{name: name, text: string(text)}
	id := core.Kind(strings.TrimSuffix(path.Base(name), ".toml"))
	kind := &Kind{ID: id, rules: map[string]*Rule{}}
	known := -1
	if foreign {
		var head struct{ ID core.Kind }
		if _, err := toml.Decode(src.text, &head); err != nil {
			return src.syntax(err)
		}
		if head.ID != "" {
			id = head.ID
		}
		known = slices.IndexFunc(l.kinds, func(k *Kind) bool { return k.ID == id })
		kind = &Kind{ID: id, Short: string(id), Name: string(id), rules: map[string]*Rule{}}
		if known >= 0 {
			kind = l.kinds[known]
		}
	}
	if err := kind.decode(src); err != nil {
		return err
	}
	if foreign {
		if err := l.check(kind, src); err != nil {
			return err
		}
	}
	if known < 0 {
		l.kinds = append(l.kinds, kind)
	}
	return nil
}

// decode puts the keys of a file over those of the kind.
func (k *Kind) decode(src source) error {
	doc := document{ID: k.ID, Short: k.Short, Name: k.Name, Launch: k.Launch, Process: k.Process,
		Keys: k.Keys, Typing: k.Typing, History: k.History, Composer: k.composer}
	meta, err := toml.Decode(src.text, &doc)
	if err != nil {
		return src.syntax(err)
	}
	k.ID, k.Short, k.Name, k.Launch, k.Process = doc.ID, doc.Short, doc.Name, doc.Launch, doc.Process
	k.Keys, k.Typing, k.History, k.composer = doc.Keys, doc.Typing, doc.History, doc.Composer
	for id, value := range doc.Rule {
		rule := k.rules[id]
		if rule == nil {
			rule = &Rule{}
			k.rules[id] = rule
		}
		if err := meta.PrimitiveDecode(value, rule); err != nil {
			return src.syntax(err)
		}
		rule.ID = id
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return src.unknown(unknown[0])
	}
	return nil
}

// source is a file with its text, for errors.
type source struct{ name, text string }

// errorf makes an error that names the file and, where the key stands in it,
// the line.
func (s source) errorf(key toml.Key, format string, args ...any) error {
	where := s.name
	if line := s.line(key); line > 0 {
		where = fmt.Sprintf("%s:%d", s.name, line)
	}
	return fmt.Errorf("%s: %s: %w", where, key, fmt.Errorf(format, args...))
}

// syntax puts file and line before what the parser says.
func (s source) syntax(err error) error {
	var parse toml.ParseError
	if errors.As(err, &parse) {
		return fmt.Errorf("%s:%d: %s", s.name, parse.Position.Line, parse.Message)
	}
	var line int
	rest := strings.TrimPrefix(err.Error(), "toml: ")
	if _, scanErr := fmt.Sscanf(rest, "line %d ", &line); scanErr == nil {
		return fmt.Errorf("%s:%d: %s", s.name, line, strings.TrimPrefix(rest, fmt.Sprintf("line %d ", line)))
	}
	return fmt.Errorf("%s: %s", s.name, rest)
}

// line returns the line that sets a key, counted from 1; 0 if none does.
func (s source) line(key toml.Key) int {
	table := ""
	for i, line := range strings.Split(s.text, "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			name, _, _ := strings.Cut(strings.TrimLeft(line, "[ "), "]")
			if table = strings.TrimSpace(name); table == key.String() {
				return i + 1
			}
			continue
		}
		name, _, isKey := strings.Cut(line, "=")
		if !isKey {
			continue
		}
		if full := strings.TrimPrefix(table+"."+strings.TrimSpace(name), "."); full == key.String() {
			return i + 1
		}
	}
	return 0
}
