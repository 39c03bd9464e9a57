package render

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"cupola/core"
)

// Row is a row of a list in one word: its values with slashes between them.
type Row []string

// RowOf returns columns of a row, which may be dotted, with the lengths of lists; or
// all it has where columns are nil.
func RowOf(object Object, columns []string) Row {
	if columns == nil {
		row := make(Row, len(object))
		for i, m := range object {
			row[i] = inline(m.Value)
		}
		return row
	}
	row := make(Row, len(columns))
	for i, m := range pick(object, columns) {
		row[i] = inline(m.Value)
		if list, is := m.Value.([]any); is {
			row[i] = strconv.Itoa(len(list))
		}
	}
	return row
}

func (r Row) terse() string {
	words := core.Map(r, func(s string) string { return strings.ReplaceAll(TerseValue(s), "/", "%2F") })
	return strings.Join(words, "/")
}

// Terse returns one line for watch, prompts and status bars: the word name and
// then key=value for every scalar and Row of doc, with dots into objects, and the
// length of every list, in the order of doc. Keys and values are encoded as
// TerseValue does.
func Terse(name string, doc Object) string {
	words := []string{"cupola/1", TerseValue(name)}
	return strings.Join(terse(words, "", doc), " ")
}

func terse(words []string, prefix string, doc Object) []string {
	for _, m := range doc {
		key := prefix + TerseValue(m.Key)
		switch v := m.Value.(type) {
		case Object:
			words = terse(words, key+".", v)
		case []any:
			words = append(words, fmt.Sprintf("%s=%d", key, len(v)))
		case Row:
			words = append(words, key+"="+v.terse())
		case nil:
		default:
			words = append(words, key+"="+TerseValue(bare(v)))
		}
	}
	return words
}

// bare writes a scalar of the document model as text; null is empty.
func bare(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case nil:
		return ""
	}
	return fmt.Sprint(v)
}

// TerseValue percent-encodes what would break a line of words: blanks, percent
// signs, equals signs, what cannot be printed and bytes that are not UTF-8. The
// empty string becomes "-", and a lone dash is encoded.
func TerseValue(text string) string {
	switch text {
	case "":
		return "-"
	case "-":
		return "%2D"
	}
	var b strings.Builder
	for text != "" {
		r, size := utf8.DecodeRuneInString(text)
		if r == '%' || r == '=' || r == ' ' || !unicode.IsPrint(r) || r == utf8.RuneError && size == 1 {
			for _, c := range []byte(text[:size]) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		} else {
			b.WriteString(text[:size])
		}
		text = text[size:]
	}
	return b.String()
}
