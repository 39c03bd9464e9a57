package agent

import (
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
	Answer   map[string]toml.Primitive
	Context  contextSpec
	Rule     map[string]toml.Primitive
	Hook     hookSpec
}

// screenPart is where the second half of a built-in file begins.
const screenPart = "\n[composer]\n"

// screen reads the half of a built-in kind that was left in its file. Tests hold
// it to its meaning, so it is not checked here.
func (k *Kind) screen() error {
	if !k.unread {
		return nil
	}
	src := source{name: string(k.ID) + ".toml"}
	text, err := embedded.ReadFile("kinds/" + src.name)
	if err != nil {
		return err
	}
	_, part, _ := strings.Cut(string(text), screenPart)
	part, _, _ = strings.Cut(part, hookPart)
	src.text = screenPart + part
	var doc struct {
		Composer composerSpec
		Answer   map[string]*answerSpec
		Context  contextSpec
		Rule     map[string]*Rule
	}
	meta, err := toml.Decode(src.text, &doc)
	if err != nil {
		return src.syntax(err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return src.unknown(unknown[0])
	}
	for id, rule := range doc.Rule {
		rule.ID = id
	}
	k.composer, k.rules, k.answers, k.context, k.unread = doc.Composer, doc.Rule, doc.Answer, doc.Context, false
	return nil
}

// overlay puts the keys of a file's tables over those of the tables that are
// known by the same names.
func overlay[T any](meta toml.MetaData, tables map[string]toml.Primitive, known map[string]*T) (map[string]*T, error) {
	for name, table := range tables {
		if known == nil {
			known = map[string]*T{}
		}
		if known[name] == nil {
			known[name] = new(T)
		}
		if err := meta.PrimitiveDecode(table, known[name]); err != nil {
			return known, err
		}
	}
	return known, nil
}

// override reads a user's file over the kind that it names.
func (l *loader) override(dir fs.FS, name string) error {
	text, err := fs.ReadFile(dir, name)
	if err != nil {
		return fmt.Errorf("read agent kind: %w", err)
	}
	src := source{name: name, text: string(text)}
	head := struct{ ID core.Kind }{ID: core.Kind(strings.TrimSuffix(path.Base(name), ".toml"))}
	if _, err := toml.Decode(src.text, &head); err != nil {
		return src.syntax(err)
	}
	known := slices.IndexFunc(l.kinds, func(k *Kind) bool { return k.ID == head.ID })
	if known < 0 {
		known = len(l.kinds)
		id := string(head.ID)
		l.kinds = append(l.kinds, &Kind{ID: head.ID, Short: id, Name: id})
	}
	kind := l.kinds[known]
	if err := kind.screen(); err != nil {
		return err
	}
	if err := kind.decode(src); err != nil {
		return err
	}
	kind.readable = kind.composer.Prompt != ""
	return l.check(kind, src)
}

// decode puts the keys of a file over those of the kind.
func (k *Kind) decode(src source) error {
	doc := document{
		ID: k.ID, Short: k.Short, Name: k.Name, Launch: k.Launch, Process: k.Process,
		Keys: k.Keys, Typing: k.Typing, History: k.History, Composer: k.composer, Context: k.context,
	}
	meta, err := toml.Decode(src.text, &doc)
	if err != nil {
		return src.syntax(err)
	}
	k.ID, k.Short, k.Name, k.Launch, k.Process = doc.ID, doc.Short, doc.Name, doc.Launch, doc.Process
	k.Keys, k.Typing, k.History, k.composer, k.context = doc.Keys, doc.Typing, doc.History, doc.Composer, doc.Context
	k.hooks.own.override(&doc.Hook)
	if k.rules, err = overlay(meta, doc.Rule, k.rules); err != nil {
		return src.syntax(err)
	}
	for id, rule := range k.rules {
		rule.ID = id
	}
	if k.answers, err = overlay(meta, doc.Answer, k.answers); err != nil {
		return src.syntax(err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return src.unknown(unknown[0])
	}
	return nil
}
