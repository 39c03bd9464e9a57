package secret

import "strings"

// prefixed is the rule for what an issuer makes with a prefix: at least 20 characters that look random, or 30 where
// words and names have the prefix too.
func prefixed(prefix string) *rule {
	const least, leastShort, short = 20, 30, 4
	r := &rule{words: []string{strings.ToLower(prefix)}, prefix: prefix, least: least}
	if len(prefix) < short || strings.ToUpper(prefix) == prefix {
		r.least = leastShort
	}
	return r
}

// behind is the secret behind the prefix that ends with a byte; ok is false without one.
func (r *rule) behind(text string, last int) (s span, ok bool) {
	from := last + 1
	start := from - len(r.prefix)
	if text[start:from] != r.prefix ||
		start > 0 && isNamePart(text[start-1]) && strings.IndexByte(".-", text[start-1]) < 0 {
		return s, false
	}
	end := from
	for end < len(text) && (isNamePart(text[end]) || strings.IndexByte("+/=~", text[end]) >= 0) {
		end++
	}
	return span{from, end}, end-from >= r.least && isRandom(text[from:end])
}
