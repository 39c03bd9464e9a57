package render

import "strings"

const hexDigits = "0123456789abcdef"

// structural holds the characters, beside control characters and the comma, that no bare string contains.
var structural = [256]bool{':': true, '"': true, '\\': true, '[': true, ']': true, '{': true, '}': true}

// appendString appends a string value, in quotes only where TOON demands them.
func appendString(dst []byte, s string) []byte {
	if bareString(s) {
		return append(dst, s...)
	}
	return appendQuoted(dst, s)
}

// appendKey appends a key or the name of a column.
func appendKey(dst []byte, key string) []byte {
	if bareKey(key) {
		return append(dst, key...)
	}
	return appendQuoted(dst, key)
}

// bareString says that s is read back as the same string without quotes, in any position.
func bareString(s string) bool {
	switch s {
	case "", "true", "false", "null":
		return false
	}
	if strings.IndexByte(" \t-#", s[0]) >= 0 || strings.IndexByte(" \t", s[len(s)-1]) >= 0 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == ',' || structural[c] {
			return false
		}
	}
	return !numeric(s)
}

func bareKey(key string) bool {
	for i := range len(key) {
		c := key[i]
		letter := c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || !digit(c) && c != '.') {
			return false
		}
	}
	return key != ""
}

func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\r':
			dst = append(dst, '\\', 'r')
		case c == '\t':
			dst = append(dst, '\\', 't')
		case c < ' ':
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}
