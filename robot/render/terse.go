package render

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Terse returns one line for watch, prompts and status bars: the word name and
// then key=value for every scalar of doc, with dots into objects, and the
// length of every list, in the order of doc. Values hold no blanks: those and
// everything unprintable are percent-encoded.
func Terse(name string, doc Object) string {
	words := []string{"cupola/1", name}
	return strings.Join(terse(words, "", doc), " ")
}

func terse(words []string, prefix string, doc Object) []string {
	for _, m := range doc {
		key := prefix + m.Key
		switch v := m.Value.(type) {
		case Object:
			words = terse(words, key+".", v)
		case []any:
			words = append(words, fmt.Sprintf("%s=%d", key, len(v)))
		case nil:
		default:
			words = append(words, key+"="+TerseValue(bare(v)))
		}
	}
	return words
}

func bare(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case bool:
		return fmt.Sprint(v)
	case json.Number:
		return v.String()
	case nil:
		return ""
	}
	return fmt.Sprint(v)
}

// TerseValue percent-encodes what would break a line of words: blanks, percent
// signs, equals signs, control characters and bytes that are not UTF-8. The
// empty string becomes "-".
func TerseValue(text string) string {
	if text == "" {
		return "-"
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '%' || r == '=' || r <= ' ' || r == 0x7f || r >= 0x80 && r <= 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfffd:
			for _, c := range []byte(string(r)) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
