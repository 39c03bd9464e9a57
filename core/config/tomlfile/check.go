package tomlfile

import (
	"cmp"
	"encoding"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"cupola/core/text/near"
)

// Problem is one error in a text.
type Problem struct {
	// Line is its line, from 1.
	Line int
	// Name is the whole name of the key that it is about; below an array of tables, N is
	// the one that holds it, from 0.
	Name string
	N    int
	// What is wrong, and Hint what to do; the hint may be empty.
	What, Hint string
	// Suggestions are the words that were probably meant.
	Suggestions []string
	// Unknown is true for a key that does not exist.
	Unknown bool
}

// MostProblems is how many problems Check returns at most.
const MostProblems = 100

// Check is Decode that continues after errors: it returns all problems, in the order of
// their lines, up to MostProblems, and decodes the rest. An invalid TOML text has one problem,
// and nothing of it is decoded.
func Check(text string, into any) []Problem {
	root := map[string]toml.Primitive{}
	meta, err := Parse(text, &root)
	if err != nil {
		line, what := Fault(err)
		return []Problem{{Line: line, What: what}}
	}
	c := &checker{text: text, meta: &meta}
	c.table(root, reflect.ValueOf(into).Elem(), position{})
	slices.SortStableFunc(c.problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	return c.problems
}

// checker fills a struct value by value.
type checker struct {
	text     string
	meta     *toml.MetaData
	problems []Problem
}

// position is the position of a value: in the nth table of an array, or outside of arrays
// where array is empty, under a name.
type position struct {
	array string
	n     int
	name  string
}

func (p position) under(key string) position {
	if p.name != "" {
		key = p.name + "." + key
	}
	p.name = key
	return p
}

func (c *checker) add(at position, problem Problem) {
	if len(c.problems) == MostProblems {
		return
	}
	if at.array == "" {
		problem.Line = LineOf(c.text, at.name)
	} else {
		problem.Line = LineIn(c.text, at.array, at.n, at.name)
	}
	problem.Line, problem.Name, problem.N = max(1, problem.Line), at.name, at.n
	c.problems = append(c.problems, problem)
}

// table fills a struct from a table.
func (c *checker) table(table map[string]toml.Primitive, into reflect.Value, at position) {
	for _, key := range slices.Sorted(maps.Keys(table)) {
		where := at.under(key)
		field := fieldOf(into, key)
		if !field.IsValid() {
			c.unknown(key, into.Type(), where)
			continue
		}
		c.value(table[key], field, where)
	}
}

func (c *checker) unknown(key string, into reflect.Type, at position) {
	if len(c.problems) == MostProblems {
		return
	}
	known := Keys(into)
	p := Problem{
		What: "unknown key " + at.name, Suggestions: near.Words(key, known), Unknown: true,
		Hint: "The keys there are: " + strings.Join(known, ", ") + ".",
	}
	if len(p.Suggestions) > 0 {
		p.Hint = "Did you mean " + p.Suggestions[0] + "?"
	}
	c.add(at, p)
}

func (c *checker) value(value toml.Primitive, into reflect.Value, at position) {
	switch {
	case into.Kind() == reflect.Map && into.Type().Elem().Kind() != reflect.Interface:
		c.entries(value, into, at)
	case !structured(into.Type()):
		c.decode(value, into.Addr().Interface(), at)
	case into.Kind() == reflect.Struct:
		table := map[string]toml.Primitive{}
		if c.decode(value, &table, at) {
			c.table(table, into, at)
		}
	default:
		var rows []toml.Primitive
		if !c.decode(value, &rows, at) {
			return
		}
		into.Set(reflect.MakeSlice(into.Type(), len(rows), len(rows)))
		for i := range rows {
			row, where := map[string]toml.Primitive{}, position{array: at.name, n: i, name: at.name}
			if c.decode(rows[i], &row, where) {
				c.table(row, into.Index(i), where)
			}
		}
	}
}

// entries fills a map, whose keys may be any.
func (c *checker) entries(value toml.Primitive, into reflect.Value, at position) {
	table := map[string]toml.Primitive{}
	if !c.decode(value, &table, at) {
		return
	}
	into.Set(reflect.MakeMap(into.Type()))
	for _, key := range slices.Sorted(maps.Keys(table)) {
		entry := reflect.New(into.Type().Elem()).Elem()
		c.value(table[key], entry, at.under(key))
		into.SetMapIndex(reflect.ValueOf(key).Convert(into.Type().Key()), entry)
	}
}

// decode reads one value, and reports whether it could be read.
func (c *checker) decode(value toml.Primitive, into any, at position) bool {
	var plain any
	if reflect.TypeOf(into).Elem().Kind() == reflect.Map && c.meta.PrimitiveDecode(value, &plain) == nil {
		// The parser drops what is no table where a map is to be filled.
		if _, is := plain.(map[string]any); !is {
			c.add(at, Problem{What: at.name + " is " + wordOf(plain) + "; it must be a section"})
			return false
		}
	}
	err := c.meta.PrimitiveDecode(value, into)
	if err == nil {
		return true
	}
	_, what := Fault(err)
	if _, said, found := strings.Cut(what, " is "); found {
		what = at.name + " is " + said
	}
	c.add(at, Problem{What: what})
	return false
}

// wordOf is the type of a value as people know it.
func wordOf(value any) string {
	name := fmt.Sprintf("%T", value)
	return cmp.Or(typeWords[strings.ReplaceAll(name, "interface {}", "any")], name)
}

// structured reports whether a type is a struct of keys, or a list of such.
func structured(t reflect.Type) bool {
	if t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct && !reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// fieldOf is the field of a struct that a key fills; not valid if none does.
func fieldOf(into reflect.Value, key string) reflect.Value {
	for _, field := range reflect.VisibleFields(into.Type()) {
		name, _, _ := strings.Cut(field.Tag.Get("toml"), ",")
		if field.IsExported() && name != "-" && (name == key || name == "" && strings.EqualFold(field.Name, key)) {
			return into.FieldByIndex(field.Index)
		}
	}
	return reflect.Value{}
}
