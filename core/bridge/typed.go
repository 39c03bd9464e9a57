package bridge

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"time"

	"github.com/itchyny/gojq"
)

// typed makes a value one of the column's type; what is not there becomes the
// type's zero.
func (c Column) typed(value any) (any, error) {
	read, ok := readers[c.Type]
	if !ok {
		return nil, fmt.Errorf("%s: no type is named %s", c.Name, c.Type)
	}
	typed, ok := read(value)
	if !ok {
		return nil, fmt.Errorf("%s is a %s, not a %s", c.Name, gojq.TypeOf(value), c.kind())
	}
	return typed, nil
}

func (c Column) kind() string {
	if c.Type == "" {
		return "string"
	}
	return c.Type
}

// readers make a value one of a type, by the type's name.
var readers = map[string]func(any) (any, bool){
	"": readString, "string": readString, "int": readInt, "number": readNumber, "bool": readBool, "time": readTime,
	"list": readList,
	"any":  func(value any) (any, bool) { return value, true },
}

func readString(value any) (any, bool) {
	switch value := value.(type) {
	case nil:
		return "", true
	case string:
		return value, true
	case bool:
		return strconv.FormatBool(value), true
	}
	if _, number := readNumber(value); number {
		text, err := gojq.Marshal(value)
		return string(text), err == nil
	}
	return nil, false
}

func readNumber(value any) (any, bool) {
	switch value := value.(type) {
	case nil:
		return 0.0, true
	case int:
		return float64(value), true
	case float64:
		return value, !math.IsNaN(value) && !math.IsInf(value, 0)
	case *big.Int:
		n, _ := new(big.Float).SetInt(value).Float64()
		return n, !math.IsInf(n, 0)
	case json.Number:
		n, err := value.Float64()
		return n, err == nil
	case string:
		n, err := strconv.ParseFloat(value, 64)
		return n, err == nil && !math.IsNaN(n) && !math.IsInf(n, 0)
	}
	return nil, false
}

func readInt(value any) (any, bool) {
	n, ok := readNumber(value)
	number, _ := n.(float64)
	// Beyond that a float no longer distinguishes neighbours.
	const exact = 1 << 53
	if !ok || number != math.Trunc(number) || math.Abs(number) > exact {
		return nil, false
	}
	return int(number), true
}

func readBool(value any) (any, bool) {
	if value == nil {
		return false, true
	}
	on, ok := value.(bool)
	return on, ok
}

// readTime reads a time that is written in one of the usual ways, or is a number
// of seconds or milliseconds since 1970, and writes it as RFC 3339 in UTC. A text
// that is no time stays as it is.
func readTime(value any) (any, bool) {
	text, ok := value.(string)
	if ok || value == nil {
		for _, layout := range []string{
			time.RFC3339Nano, "2006-01-02T15:04:05.999999999",
			"2006-01-02 15:04:05.999999999", time.DateOnly, time.RFC1123Z, time.RubyDate,
		} {
			if at, err := time.Parse(layout, text); err == nil {
				return at.UTC().Format(time.RFC3339), true
			}
		}
		return text, true
	}
	n, ok := readNumber(value)
	seconds, _ := n.(float64)
	// No second of these centuries has so large a number.
	const millis = 1e11
	if math.Abs(seconds) >= millis {
		seconds /= 1000
	}
	if !ok || math.Abs(seconds) >= millis {
		return nil, false
	}
	return time.Unix(int64(seconds), 0).UTC().Format(time.RFC3339), true
}

func readList(value any) (any, bool) {
	items := []string{}
	if value == nil {
		return items, true
	}
	list, ok := value.([]any)
	for _, item := range list {
		text, readable := readString(item)
		word, _ := text.(string)
		if !readable {
			return nil, false
		}
		items = append(items, word)
	}
	return items, ok
}
