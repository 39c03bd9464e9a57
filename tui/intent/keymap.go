package intent

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/core/config/tomlfile"
	"cupola/core/term/cells"
	"cupola/core/text/near"
)

// Keymap has the key tables with the keys of screens, and with the user's own keys. nil has the usual ones, without
// those of screens.
type Keymap struct {
	tables *Tables
	// moves are, by the name of a table, the keys that take the place of a usual key.
	moves map[string]map[string][]string
	made  map[*Scope]*Scope
	// own are the keys of the user's own commands.
	own []Binding
}

// selecting are the tables with the keys that act on the fleet's selection.
var selecting = []*Scope{&Tree, &Grid, &Peeking}

// AddOwn gives one of the user's own commands a key where the fleet's selection is, unless the error says that there is
// no such key, or that it means something else.
func (k *Keymap) AddOwn(name, key string) error {
	known, is := keyNamed(key)
	if !is {
		return fmt.Errorf("there is no key %q%s", key, meant(key, specialKeys()))
	}
	for _, scope := range selecting {
		if taken := k.Of(scope).Find(known); taken != nil {
			return fmt.Errorf("the key %s means %q; %s is free", Name(known), taken.Does, k.free())
		}
	}
	k.own = append(k.own, Bind(Own{Name: name}, "", "run your command "+cells.Clean(name), known))
	clear(k.made)
	return nil
}

// free is a key that means nothing where the fleet's selection is.
func (k *Keymap) free() string {
	used := func(key string) bool {
		return slices.ContainsFunc(selecting, func(scope *Scope) bool { return k.Of(scope).Find(key) != nil })
	}
	for letter := 'a'; letter <= 'z'; letter++ {
		for _, key := range []string{string(letter), string(unicode.ToUpper(letter)), "alt+" + string(letter)} {
			if !used(key) {
				return key
			}
		}
	}
	return "none"
}

// Everywhere names in a keymap the keys that are active everywhere but in forms.
const Everywhere = "everywhere"

// Of returns a table with the user's keys.
func (k *Keymap) Of(scope *Scope) *Scope {
	if k == nil {
		return scope
	}
	if k.made[scope] == nil {
		k.made[scope] = k.tables.full(scope)
		if moves := k.moves[scope.Name]; len(moves) > 0 {
			k.made[scope] = k.made[scope].moved(moves)
		}
		if len(k.own) > 0 && slices.Contains(selecting, scope) {
			with := *k.made[scope]
			with.Bindings = slices.Concat(with.Bindings, k.own)
			k.made[scope] = &with
		}
	}
	return k.made[scope]
}

// All returns all tables, in the order in which help shows them.
func (k *Keymap) All() []*Scope {
	if k == nil {
		return nil
	}
	return core.Map(k.tables.Scopes, k.Of)
}

// moved returns the table with other keys in place of some.
func (s *Scope) moved(moves map[string][]string) *Scope {
	put := func(names []string) (keys []string) {
		for _, name := range names {
			if others, moved := moves[name]; moved {
				keys = append(keys, others...)
			} else {
				keys = append(keys, name)
			}
		}
		return keys
	}
	other := &Scope{Name: s.Name}
	for _, name := range s.Footer {
		other.Footer = append(other.Footer, put([]string{name})[0])
	}
	for _, b := range s.Bindings {
		other.Bindings = append(other.Bindings, Bind(b.Intent, b.Label, b.Does, put(b.Keys)...))
	}
	return other
}

// ReadKeymap reads the user's own keys from TOML. Its tables have the names of keys.md, in lower case and with
// hyphens, or Everywhere; in each, a default key is assigned the key, or the list of keys, that replaces it. A
// table with a fault keeps its default keys; the error is ConfigInvalid and lists all faults.
func (t *Tables) ReadKeymap(origin, text string) (*Keymap, error) {
	var tables map[string]map[string]any
	if _, err := tomlfile.Parse(text, &tables); err != nil {
		line, what := tomlfile.Fault(err)
		return nil, tomlfile.Wrong(origin, line, what)
	}
	read := t.Keymap()
	read.moves = map[string]map[string][]string{}
	var faults []string
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		if name != Everywhere && t.named(name) == nil {
			faults = append(faults, fmt.Sprintf("[%s] is no table of keys%s", name, meant(name, t.slugs())))
		}
	}
	for _, scope := range t.Scopes {
		scope := t.full(scope)
		moves, wrong := t.movesOf(scope, tables[slugOf(scope)], tables[Everywhere])
		if wrong == "" {
			wrong = conflict(scope, moves)
		}
		if wrong != "" {
			faults = append(faults, wrong)
			continue
		}
		read.moves[scope.Name] = moves
	}
	if unused := t.unusedKey(tables[Everywhere]); unused != "" {
		faults = append(faults, "[everywhere]: "+unused)
	}
	if len(faults) > 0 {
		return read, &core.Error{
			Code: core.ConfigInvalid, Message: origin + ": " + strings.Join(slices.Compact(faults), "; "),
			Hint: "What is wrong keeps its usual keys.",
		}
	}
	return read, nil
}

// slugOf is how a keymap calls a table: its name in small letters, with hyphens.
func slugOf(s *Scope) string { return strings.ReplaceAll(strings.ToLower(s.Name), " ", "-") }

// slugs returns the names by which a keymap can address tables.
func (t *Tables) slugs() []string {
	names := []string{Everywhere}
	for _, scope := range t.Scopes {
		names = append(names, slugOf(scope))
	}
	return names
}

func (t *Tables) named(name string) *Scope {
	for _, scope := range t.Scopes {
		if slugOf(scope) == name {
			return scope
		}
	}
	return nil
}

// meant suggests a word for one that is not known.
func meant(word string, known []string) string {
	if words := near.Words(word, known); len(words) > 0 {
		return "; did you mean " + words[0] + "?"
	}
	return ""
}

// movesOf reads what a keymap says of a table; wrong says what cannot be.
func (t *Tables) movesOf(scope *Scope, own, everywhere map[string]any) (moves map[string][]string, wrong string) {
	moves = map[string][]string{}
	for _, usual := range slices.Sorted(maps.Keys(everywhere)) {
		name, _ := keyNamed(usual)
		if b := scope.Find(name); b == nil || !t.isAlways(b.Intent) {
			continue
		}
		if moves[name], wrong = keysOf(scope, everywhere[usual]); wrong != "" {
			return nil, "[" + Everywhere + "] " + usual + ": " + wrong
		}
	}
	for _, usual := range slices.Sorted(maps.Keys(own)) {
		name, _ := keyNamed(usual)
		if scope.Find(name) == nil {
			return nil, fmt.Sprintf("[%s] %s does nothing there by default", slugOf(scope), usual)
		}
		if moves[name], wrong = keysOf(scope, own[usual]); wrong != "" {
			return nil, fmt.Sprintf("[%s] %s: %s", slugOf(scope), usual, wrong)
		}
	}
	return moves, ""
}

// isAlways reports whether a key with a meaning is active everywhere.
func (t *Tables) isAlways(meaning Intent) bool {
	return slices.ContainsFunc(t.always(), func(b Binding) bool { return b.Intent == meaning })
}

// unusedKey says which key of the table of all screens is not active everywhere; empty if all are.
func (t *Tables) unusedKey(everywhere map[string]any) string {
	for _, usual := range slices.Sorted(maps.Keys(everywhere)) {
		name, _ := keyNamed(usual)
		if !slices.ContainsFunc(t.always(), func(b Binding) bool { return slices.Contains(b.Keys, name) }) {
			return usual + " is not a key of all screens"
		}
	}
	return ""
}

// keysOf reads a key or a list of keys.
func keysOf(scope *Scope, value any) (keys []string, wrong string) {
	words := []any{value}
	if list, is := value.([]any); is {
		words = list
	}
	if len(words) == 0 {
		return nil, "no key is given"
	}
	for _, word := range words {
		text, is := word.(string)
		name, known := keyNamed(text)
		switch {
		case !is:
			return nil, fmt.Sprintf("%v is not the name of a key in quotes", word)
		case !known:
			return nil, fmt.Sprintf("there is no key %q%s", text, meant(text, specialKeys()))
		case scope.edits() && utf8.RuneCountInString(name) == 1:
			return nil, fmt.Sprintf("%s is typed there", text)
		}
		keys = append(keys, name)
	}
	return keys, ""
}

// edits reports whether keys without a meaning are typed.
func (s *Scope) edits() bool {
	return s.Name == Form.Name || s.Name == Choosing.Name || s.Name == Typing.Name
}

// conflict says which key would mean two things; empty if none does.
func conflict(scope *Scope, moves map[string][]string) string {
	if len(moves) == 0 {
		return ""
	}
	taken := map[string]string{}
	for _, b := range scope.moved(moves).Bindings {
		for _, name := range b.Keys {
			if other := taken[name]; other != "" {
				return fmt.Sprintf("[%s] %s would mean both %q and %q; give one of them another key", slugOf(scope),
					Name(name), other, b.Does)
			}
			taken[name] = b.Does
		}
	}
	return ""
}

// keyNamed returns the key that is written as Bubble Tea or as Name does; known is false if there is none.
func keyNamed(text string) (name string, known bool) {
	if strings.EqualFold(text, "space") {
		return " ", true
	}
	if utf8.RuneCountInString(text) == 1 {
		r, _ := utf8.DecodeRuneInString(text)
		return text, unicode.IsPrint(r)
	}
	bare, alt := strings.CutPrefix(text, "alt+")
	if alt && utf8.RuneCountInString(bare) == 1 {
		return text, true
	}
	for _, special := range specialKeys() {
		if strings.EqualFold(special, bare) || strings.EqualFold(Name(special), bare) {
			return strings.TrimSuffix(text, bare) + special, true
		}
	}
	return text, false
}

// specialKeys are the names of the keys that are no characters.
var specialKeys = sync.OnceValue(func() []string {
	var names []string
	for kind := tea.KeyType(-100); kind < 130; kind++ {
		if name := kind.String(); name != "" && kind != tea.KeyRunes && kind != tea.KeySpace {
			names = append(names, name)
		}
	}
	return names
})
