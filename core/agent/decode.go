package agent

import (
	"cmp"
	"errors"
	"fmt"
	"hash"
	"hash/fnv"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"cupola/core"
	"cupola/core/config/tomlfile"
)

// loader collects kinds from files.
type loader struct {
	overrides []fs.FS
	kinds     []*Kind
	// broken are the files that are not used, unknown the keys that are not used of others.
	broken, unknown []*Fault
	// read is of all files so far.
	read hash.Hash64
	// bare is true while the built-in kinds are generated from these files, so that none of them is known before.
	bare bool
	// texts are the files of each kind that were read, in order.
	texts map[core.Kind][]source
	// last is the kind of the file that was read last.
	last *Kind
}

// pass reads all files but those that are broken, over the kinds that come with Cupola. It returns true if it found
// another broken one, for what that said before its fault must not remain.
func (l *loader) pass() (again bool) {
	l.kinds, l.read, l.unknown, l.texts = builtin(), fnv.New64a(), nil, nil
	for i, dir := range l.overrides {
		entries, err := fs.ReadDir(dir, ".")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			if again = !l.leftOut(i, "."); again {
				l.broken = append(l.broken, &Fault{folder: i, File: ".", Whole: true, Err: reason(err)})
			}
			continue
		}
		for _, entry := range entries {
			name := entry.Name()
			if !strings.HasSuffix(name, ".toml") || l.leftOut(i, name) {
				continue
			}
			if fault := l.override(dir, name); fault != nil {
				fault.folder, again = i, true
				l.broken = append(l.broken, fault)
			}
		}
	}
	return again
}

// leftOut reports whether a file is broken.
func (l *loader) leftOut(folder int, name string) bool {
	return slices.ContainsFunc(l.broken, func(f *Fault) bool { return f.folder == folder && f.File == name })
}

// note sets Doubt on the kinds whose start is uncertain: a file of theirs is not used, or has an unknown key that may
// have been meant for their start.
func (l *loader) note() {
	for _, fault := range append(l.broken, l.unknown...) {
		for _, kind := range l.kinds {
			if kind.ID == fault.Kind && (fault.Whole || fault.launch) {
				kind.Doubt = fault.Err
			}
		}
	}
}

// document is a kind's file.
type document struct {
	ID         core.Kind
	Short      string
	Name       string
	Launch     Launch
	Process    Process
	Keys       Keys
	Typing     Typing
	Headless   Headless
	ACP        Protocol
	Skills     Skills
	MCP        MCP
	Background Background
	Limit      AtLimit
	Sandbox    Needs
	History    bool
	Unproven   string
	Like       core.Kind
	Composer   composerSpec
	Answer     map[string]toml.Primitive
	Context    contextSpec
	Version    versionSpec
	Turn       turnSpec
	Rule       map[string]toml.Primitive
	Hook       hookSpec
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

// faultOf returns the fault of a file whose error is not known yet.
func faultOf(name string) *Fault {
	return &Fault{File: name, Kind: core.Kind(strings.TrimSuffix(path.Base(name), ".toml")), Whole: true}
}

// override reads a user's file over the kind that it names; the fault is nil if the file can be used.
func (l *loader) override(dir fs.FS, name string) *Fault {
	fault := faultOf(name)
	text, err := fs.ReadFile(dir, name)
	if err != nil {
		fault.Err = fmt.Errorf("%s: %w", name, reason(err))
		return fault
	}
	fmt.Fprintf(l.read, "%q %q\n", name, text)
	return l.overrideBy(source{name: name, text: string(text)}, fault)
}

// overrideBy is override for a text; it fills in the fault and returns it if the text cannot be used.
func (l *loader) overrideBy(src source, fault *Fault) *Fault {
	head := struct{ ID, Like core.Kind }{ID: fault.Kind}
	if _, err := tomlfile.Parse(src.text, &head); err != nil {
		fault.Err = src.syntax(err)
		return fault
	}
	fault.Kind = head.ID
	known := slices.IndexFunc(l.kinds, func(k *Kind) bool { return k.ID == head.ID })
	if known < 0 {
		known = len(l.kinds)
		fresh, err := l.like(head.ID, head.Like, src)
		if err != nil {
			fault.All = keyErrors(err)
			fault.Err = fault.All[0]
			return fault
		}
		l.kinds = append(l.kinds, fresh)
	}
	kind := l.kinds[known]
	l.last = kind
	if l.texts == nil {
		l.texts = map[core.Kind][]source{}
	}
	l.texts[head.ID] = append(l.texts[head.ID], src)
	unknown, err := kind.decode(src)
	if err == nil {
		kind.readable = kind.screen.composer.Prompt.given()
		err = l.check(kind, src)
	}
	if err != nil {
		fault.All = keyErrors(err)
		fault.Err = fault.All[0]
		for _, key := range unknown {
			fault.All = append(fault.All, keyErrors(key.Err)...)
		}
		return fault
	}
	l.unknown = append(l.unknown, unknown...)
	return nil
}

// like returns a new kind: an empty one or, with a model, a copy of that kind without what is true of its program
// alone. A model that is no kind is an error at the key like.
func (l *loader) like(id, model core.Kind, src source) (*Kind, error) {
	fresh := &Kind{}
	if model != "" {
		own := builtin()
		i := slices.IndexFunc(own, func(k *Kind) bool { return k.ID == model })
		if i >= 0 && !l.bare {
			fresh = own[i]
		} else if l.texts[model] == nil {
			return nil, src.errorf(toml.Key{"like"}, "%q is no agent kind", model)
		}
		for _, text := range l.texts[model] {
			if _, err := fresh.decode(text); err != nil {
				return nil, src.errorf(toml.Key{"like"}, "%s: %w", model, err)
			}
		}
		fresh.hooks.inherit()
	}
	fresh.ID, fresh.Short, fresh.Name = id, string(id), string(id)
	fresh.Process, fresh.Launch.Command, fresh.Launch.Install, fresh.Launch.Resumed = Process{}, nil, "", ""
	fresh.Headless, fresh.ACP, fresh.Skills, fresh.MCP = Headless{}, Protocol{}, Skills{}, MCP{}
	fresh.Background = Background{}
	fresh.Unproven = ""
	return fresh, nil
}

// reason returns the message of an error about a file, without its path.
func reason(err error) error {
	if said, is := errors.AsType[*fs.PathError](err); is {
		return said.Err
	}
	return err
}

// decode puts the keys of a file over those of the kind, and returns those that do not exist.
func (k *Kind) decode(src source) ([]*Fault, error) {
	screen := k.screenRules()
	doc := document{
		ID: k.ID, Short: k.Short, Name: k.Name, Launch: k.Launch, Process: k.Process,
		Keys: k.Keys, Typing: k.Typing, Headless: k.Headless, ACP: k.ACP, Skills: k.Skills, MCP: k.MCP,
		Background: k.Background, Limit: k.Limit, Sandbox: k.Sandbox,
		History: k.History, Unproven: k.Unproven, Like: k.Like,
		Composer: screen.composer, Context: screen.context, Version: screen.version, Turn: screen.turn,
	}
	meta, err := tomlfile.Parse(src.text, &doc)
	if err != nil {
		return nil, src.syntax(err)
	}
	k.ID, k.Short, k.Name, k.Launch, k.Process = doc.ID, doc.Short, doc.Name, doc.Launch, doc.Process
	k.Keys, k.Typing, k.Headless, k.ACP = doc.Keys, doc.Typing, doc.Headless, doc.ACP
	k.Skills, k.MCP = doc.Skills, doc.MCP
	k.Sandbox, k.Limit = doc.Sandbox, doc.Limit
	k.Background, k.History, k.Unproven, k.Like = doc.Background, doc.History, doc.Unproven, doc.Like
	screen.composer, screen.context, screen.version, screen.turn = doc.Composer, doc.Context, doc.Version, doc.Turn
	k.hooks.own.override(&doc.Hook)
	known := make(map[string]*Rule, len(screen.rules))
	for _, rule := range screen.rules {
		known[rule.ID] = rule
	}
	if known, err = overlay(src.text, &meta, "rule", doc.Rule, known); err != nil {
		return nil, src.syntax(err)
	}
	screen.rules = inOrder(known)
	if screen.answers, err = overlay(src.text, &meta, "answer", doc.Answer, screen.answers); err != nil {
		return nil, src.syntax(err)
	}
	return k.unknown(src, meta.Undecoded()), nil
}

// mostUnknown is how many unknown keys of one file are reported.
const mostUnknown = 10

// unknown returns the faults of keys that do not exist; of a table that does not exist, the table alone.
func (k *Kind) unknown(src source, keys []toml.Key) []*Fault {
	var faults []*Fault
	last := ""
	for _, key := range keys {
		if last != "" && strings.HasPrefix(key.String(), last+".") {
			continue
		}
		if last = key.String(); len(faults) == mostUnknown {
			break
		}
		near, err := src.unknown(key)
		faults = append(faults, &Fault{
			File: src.name, Kind: k.ID, Err: err, launch: key[0] == "launch" || near == "launch",
		})
	}
	return faults
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
