package agent

import (
	"cmp"
	"fmt"
	"hash"
	"hash/fnv"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"cupola/core"
	"cupola/core/tomlfile"
)

// loader collects kinds from files.
type loader struct {
	kinds []*Kind
	// read is of all files so far.
	read hash.Hash64
}

func newLoader(kinds []*Kind) *loader { return &loader{kinds, fnv.New64a()} }

// document is a kind's file.
type document struct {
	ID       core.Kind
	Short    string
	Name     string
	Launch   Launch
	Process  Process
	Keys     Keys
	Typing   Typing
	Headless Headless
	Skills   Skills
	MCP      MCP
	History  bool
	Composer composerSpec
	Answer   map[string]toml.Primitive
	Context  contextSpec
	Version  versionSpec
	Turn     turnSpec
	Rule     map[string]toml.Primitive
	Hook     hookSpec
}

// overlay puts the keys of the tables in a section of a file over those of the tables that are
// known by the same names.
func overlay[T any](
	text string, meta *toml.MetaData, section string, tables map[string]toml.Primitive, known map[string]*T,
) (map[string]*T, error) {
	for name, table := range tables {
		if known == nil {
			known = map[string]*T{}
		}
		if known[name] == nil {
			known[name] = new(T)
		}
		if err := tomlfile.Fill(text, meta, table, known[name], section, name); err != nil {
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
	fmt.Fprintf(l.read, "%q %q\n", name, text)
	head := struct{ ID core.Kind }{ID: core.Kind(strings.TrimSuffix(path.Base(name), ".toml"))}
	if _, err := tomlfile.Parse(src.text, &head); err != nil {
		return src.syntax(err)
	}
	known := slices.IndexFunc(l.kinds, func(k *Kind) bool { return k.ID == head.ID })
	if known < 0 {
		known = len(l.kinds)
		id := string(head.ID)
		l.kinds = append(l.kinds, &Kind{ID: head.ID, Short: id, Name: id})
	}
	kind := l.kinds[known]
	if err := kind.decode(src); err != nil {
		return err
	}
	kind.readable = kind.screen.composer.Prompt.given()
	return l.check(kind, src)
}

// decode puts the keys of a file over those of the kind.
func (k *Kind) decode(src source) error {
	screen := k.look()
	doc := document{
		ID: k.ID, Short: k.Short, Name: k.Name, Launch: k.Launch, Process: k.Process,
		Keys: k.Keys, Typing: k.Typing, Headless: k.Headless, Skills: k.Skills, MCP: k.MCP,
		History:  k.History,
		Composer: screen.composer, Context: screen.context, Version: screen.version, Turn: screen.turn,
	}
	meta, err := tomlfile.Parse(src.text, &doc)
	if err != nil {
		return src.syntax(err)
	}
	k.ID, k.Short, k.Name, k.Launch, k.Process = doc.ID, doc.Short, doc.Name, doc.Launch, doc.Process
	k.Keys, k.Typing, k.Headless, k.Skills, k.MCP = doc.Keys, doc.Typing, doc.Headless, doc.Skills, doc.MCP
	k.History = doc.History
	screen.composer, screen.context, screen.version, screen.turn = doc.Composer, doc.Context, doc.Version, doc.Turn
	k.hooks.own.override(&doc.Hook)
	known := make(map[string]*Rule, len(screen.rules))
	for _, rule := range screen.rules {
		known[rule.ID] = rule
	}
	if known, err = overlay(src.text, &meta, "rule", doc.Rule, known); err != nil {
		return src.syntax(err)
	}
	screen.rules = inOrder(known)
	if screen.answers, err = overlay(src.text, &meta, "answer", doc.Answer, screen.answers); err != nil {
		return src.syntax(err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return src.unknown(unknown[0])
	}
	return nil
}

// inOrder returns rules in the order in which they are asked.
func inOrder(byID map[string]*Rule) []*Rule {
	rules := make([]*Rule, 0, len(byID))
	for id, rule := range byID {
		rule.ID = id
		rules = append(rules, rule)
	}
	slices.SortFunc(rules, func(a, b *Rule) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.ID, b.ID))
	})
	return rules
}
