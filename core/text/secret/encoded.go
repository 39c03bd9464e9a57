package secret

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// leastEncoded is how long text in base64 must be to be decoded, in bytes.
const leastEncoded = 24

// encoded returns the runs of base64 whose text has a secret.
func encoded(text string) []span {
	var spans []span
	for i := 0; i < len(text); {
		n := 0
		for i+n < len(text) && isBase64(text[i+n]) {
			n++
		}
		if n >= leastEncoded {
			padded := n
			for i+padded < len(text) && text[i+padded] == '=' && padded < n+2 {
				padded++
			}
			decoded := decode(text[i : i+n])
			if decoded != "" && (len(matches(decoded)) > 0 || len(named(decoded)) > 0) {
				spans = append(spans, span{i, i + padded})
			}
			n = padded
		}
		i += n + 1
	}
	return spans
}

func isBase64(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || strings.IndexByte("+/-_", b) >= 0
}

// decode returns the text encoded in base64; empty for bytes that are no text.
func decode(run string) string {
	plain := strings.NewReplacer("-", "+", "_", "/").Replace(run)
	bytes, err := base64.RawStdEncoding.DecodeString(plain)
	if err != nil || !utf8.Valid(bytes) {
		return ""
	}
	for _, b := range bytes {
		if b < ' ' && b != '\n' && b != '\t' && b != '\r' {
			return ""
		}
	}
	return string(bytes)
}
