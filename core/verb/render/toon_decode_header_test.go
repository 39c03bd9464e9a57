package render

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// toonHeader announces an array, or an object as a table if keyed. The key is nil where there is none.
type toonHeader struct {
	key       *string
	length    int
	keyed     bool
	delimiter byte
	fields    []toonField
}

// header reads a header and returns what follows its colon. It is false for a line that is none.
func (d *decoder) header(text string) (toonHeader, string, bool, error) {
	open, colon := outsideQuotes(text, '['), outsideQuotes(text, ':')
	if open < 0 || colon < open || !headerKey(text[:open]) {
		return toonHeader{}, "", false, nil
	}
	end := strings.IndexByte(text[open:], ']')
	if end < 0 {
		return toonHeader{}, "", false, nil
	}
	h, rest, err := d.headerParts(text[open+1:open+end], text[open+end+1:])
	if err == nil && open > 0 {
		var key string
		key, err = d.key(text[:open])
		h.key = &key
	}
	if err != nil && !d.strict {
		return toonHeader{}, "", false, nil
	}
	return h, rest, err == nil, err
}

// headerKey says that a key may be before a bracket.
func headerKey(token string) bool {
	return token == "" || bareKey(token) || token[0] == '"' && closingQuote(token) == len(token)-1
}

// headerParts reads the inside of the bracket and what comes behind it.
func (d *decoder) headerParts(bracket, rest string) (toonHeader, string, error) {
	h := toonHeader{delimiter: ','}
	digits := bracket[:len(bracket)-len(skipDigits(bracket))]
	bracket = bracket[len(digits):]
	length, err := strconv.Atoi(digits)
	if err != nil || len(digits) > 1 && digits[0] == '0' {
		return h, "", d.fail("length %q", digits)
	}
	h.length = length
	bracket, h.keyed = strings.CutPrefix(bracket, ":")
	switch bracket {
	case "":
	case "\t", "|":
		h.delimiter = bracket[0]
	default:
		return h, "", d.fail("bracket %q", bracket)
	}
	if strings.HasPrefix(rest, "{") {
		if h.fields, rest, err = d.headerFields(rest[1:], h.delimiter, 0); err != nil {
			return h, "", err
		}
	}
	rest, ok := strings.CutPrefix(rest, ":")
	switch {
	case !ok:
		return h, "", d.fail("text behind the bracket")
	case h.keyed && h.fields == nil:
		return h, "", d.fail("keyed header without fields")
	case h.fields != nil && strings.Trim(rest, " ") != "":
		return h, "", d.fail("text behind the header")
	}
	return h, rest, nil
}

// headerFields reads a group of fields behind its opening brace and returns what follows the closing one.
func (d *decoder) headerFields(s string, delimiter byte, depth int) ([]toonField, string, error) {
	if depth > MaxDepth {
		return nil, "", ErrDepth
	}
	fields := []toonField{}
	for {
		end := strings.IndexAny(s, "{}"+string(delimiter))
		if strings.HasPrefix(s, `"`) {
			end = closingQuote(s) + 1
		}
		if end <= 0 || end >= len(s) || !headerKey(s[:end]) {
			return nil, "", d.fail("fields")
		}
		name, err := d.key(s[:end])
		if err != nil {
			return nil, "", err
		}
		if d.strict && slices.ContainsFunc(fields, func(f toonField) bool { return f.name == name }) {
			return nil, "", d.fail("field %q twice", name)
		}
		f := toonField{name: name}
		if s = s[end:]; s[0] == '{' {
			if f.group, s, err = d.headerFields(s[1:], delimiter, depth+1); err != nil {
				return nil, "", err
			}
		}
		fields = append(fields, f)
		switch {
		case strings.HasPrefix(s, "}"):
			return fields, s[1:], nil
		case s == "" || s[0] != delimiter:
			return nil, "", d.fail("fields")
		}
		s = s[1:]
	}
}

// closingQuote returns the index of the quote that ends the quoted token at the beginning of s, or -2.
func closingQuote(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -2
}

// splitCells splits a line at its delimiters outside quotes and trims the cells.
func splitCells(s string, delimiter byte) []string {
	var cells []string
	for {
		end := outsideQuotes(s, delimiter)
		if end < 0 {
			return append(cells, strings.Trim(s, " "))
		}
		cells = append(cells, strings.Trim(s[:end], " "))
		s = s[end+1:]
	}
}

func (d *decoder) key(token string) (string, error) {
	if strings.HasPrefix(token, `"`) {
		return d.unquote(token)
	}
	return token, nil
}

func (d *decoder) scalar(token string) (any, error) {
	switch token {
	case "true":
		return true, nil
	case "false":
		return false, nil
	case "null":
		return nil, nil
	}
	if strings.HasPrefix(token, `"`) {
		return d.unquote(token)
	}
	if validNumber(token) {
		return json.Number(token), nil
	}
	return token, nil
}

func (d *decoder) unquote(token string) (string, error) {
	if closingQuote(token) != len(token)-1 {
		return "", d.fail("quotes in %q", token)
	}
	var b strings.Builder
	for s := token[1 : len(token)-1]; s != ""; {
		c := s[0]
		if c != '\\' {
			if c < ' ' && c != '\t' {
				return "", d.fail("control character in %q", token)
			}
			b.WriteByte(c)
			s = s[1:]
			continue
		}
		if at := strings.IndexByte(`\"nrt`, s[1]); at >= 0 {
			b.WriteByte("\\\"\n\r\t"[at])
			s = s[2:]
			continue
		}
		if s[1] != 'u' || len(s) < 6 {
			return "", d.fail("escape in %q", token)
		}
		code, err := strconv.ParseUint(s[2:6], 16, 16)
		if err != nil || 0xd800 <= code && code <= 0xdfff {
			return "", d.fail("escape in %q", token)
		}
		b.WriteRune(rune(code))
		s = s[6:]
	}
	return b.String(), nil
}
