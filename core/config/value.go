package config

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"cupola/core"
	"cupola/core/config/tomlfile"
	"cupola/core/text/near"
)

// unfit says why a value is not one of its key's.
type unfit struct {
	text        string
	suggestions []string
}

func (u *unfit) Error() string { return u.text }

// parse reads a key's value from text: a list is a TOML array, or words that
// commas separate.
func parse(key Key, text string) (any, error) {
	var value any
	err := error(nil)
	switch key.Type {
	case "int":
		value, err = strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	case "number":
		value, err = strconv.ParseFloat(strings.TrimSpace(text), 64)
	case "bool":
		value, err = strconv.ParseBool(strings.TrimSpace(text))
	case "list":
		value, err = parseList(text)
	case table:
		err = errors.New("a table")
	default:
		value = text
	}
	if err != nil {
		return nil, unlike(key, strconv.Quote(text))
	}
	return convert(key, value)
}

func parseList(text string) (any, error) {
	if !strings.HasPrefix(strings.TrimSpace(text), "[") {
		items := []any{}
		for item := range strings.SplitSeq(text, ",") {
			if item = strings.TrimSpace(item); item != "" {
				items = append(items, item)
			}
		}
		return items, nil
	}
	var holder map[string]any
	if _, err := tomlfile.Parse("list = "+text, &holder); err != nil {
		return nil, err
	}
	if len(holder) != 1 {
		return nil, errors.New("more than a list")
	}
	return holder["list"], nil
}

// convert makes of what TOML gives a value of the key's own type, which fits.
func convert(key Key, raw any) (any, error) {
	switch key.Type {
	case "string":
		if text, ok := raw.(string); ok {
			return text, allowed(key, text)
		}
	case "int":
		if n, ok := raw.(int64); ok && int64(int(n)) == n {
			return int(n), atLeastNone(key, n < 0, raw)
		}
	case "number":
		n, ok := raw.(float64)
		if whole, is := raw.(int64); is {
			n, ok = float64(whole), true
		}
		if ok && !math.IsNaN(n) && !math.IsInf(n, 0) {
			return n, atLeastNone(key, n < 0, raw)
		}
	case "bool":
		if is, ok := raw.(bool); ok {
			return is, nil
		}
	case "duration":
		text, ok := raw.(string)
		if seconds, is := raw.(int64); is {
			text, ok = strconv.FormatInt(seconds, 10), true
		}
		d, err := core.ParseDuration(text)
		if ok && err == nil {
			return d, nil
		}
		if err := atLeastNone(key, errors.Is(err, core.ErrNegativeDuration), text); err != nil {
			return nil, err
		}
	case "list":
		if items, ok := texts(raw); ok {
			for _, item := range items {
				if err := allowed(key, item); err != nil {
					return nil, err
				}
			}
			return items, nil
		}
	}
	return nil, unlike(key, shown(raw))
}

func texts(raw any) ([]string, bool) {
	list, ok := raw.([]any)
	items := make([]string, 0, len(list))
	for _, item := range list {
		text, is := item.(string)
		items, ok = append(items, text), ok && is
	}
	return items, ok
}

func allowed(key Key, text string) error {
	for _, part := range key.Parts {
		if text != "" && !strings.Contains(text, part) {
			return &unfit{
				text: fmt.Sprintf("%s is %q; it must contain %s", key.Name, text, strings.Join(key.Parts, " and ")),
			}
		}
	}
	if len(key.Enum) == 0 || slices.Contains(key.Enum, text) {
		return nil
	}
	return &unfit{
		fmt.Sprintf("%s is %q; it must be one of %s", key.Name, text, strings.Join(key.Enum, ", ")),
		near.Words(text, key.Enum),
	}
}

func atLeastNone(key Key, below bool, value any) error {
	if !below {
		return nil
	}
	return &unfit{text: fmt.Sprintf("%s is %v; it must be 0 or more", key.Name, value)}
}

func unlike(key Key, value string) error {
	want := map[string]string{
		"string": `a text, such as "text"`, "int": "a whole number", "number": "a number, such as 2.5",
		"bool":     "true or false",
		"duration": `a time, such as "90s", "10m" or "1h30m"`, "list": `a list of texts, such as ["one", "two"]`,
		table: "a section of its own",
	}[key.Type]
	return &unfit{text: fmt.Sprintf("%s is %s; it must be %s", key.Name, value, want)}
}

// shown is a value as an error shows it.
func shown(raw any) string {
	if text, ok := raw.(string); ok {
		return strconv.Quote(text)
	}
	return fmt.Sprint(raw)
}

// written is a value as Set takes it and as lists show it; of a table, the names
// of its entries.
func written(v reflect.Value) string {
	switch value := v.Interface().(type) {
	case string:
		return value
	case time.Duration:
		return core.ShortDuration(value)
	case []string:
		return literal(value)
	}
	if v.Kind() == reflect.Map {
		var names []string
		for name := range v.Seq() {
			names = append(names, name.String())
		}
		slices.Sort(names)
		return strings.Join(names, ", ")
	}
	return fmt.Sprint(v.Interface())
}

// literal is a value as a file holds it.
func literal(value any) string {
	if d, ok := value.(time.Duration); ok {
		value = core.ShortDuration(d)
	}
	if items, ok := value.([]string); ok && len(items) == 0 {
		return "[]"
	}
	text, err := toml.Marshal(map[string]any{"v": value})
	if err != nil {
		panic("config: no TOML is known for a " + fmt.Sprintf("%T", value))
	}
	return strings.TrimSpace(strings.TrimPrefix(string(text), "v = "))
}
