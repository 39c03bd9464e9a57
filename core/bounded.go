package core

import (
	"strings"
	"unicode/utf8"
)

const (
	// longestWord is how much of a word, or of a text in quotes, a failure repeats, in
	// bytes: enough to know it again.
	longestWord = 200
	// longestText is how long one text of a failure is, in bytes.
	longestText = 2000
	ellipsis    = "…"
)

// Bounded returns the error as it is shown: no text of it repeats more than 200
// bytes of a word or of a quoted text, or is longer than 2000 bytes. Suggestions and
// actions that would have to be cut are left out, because they would not mean what
// they say. Details stay; Cut is for their texts.
func (e *Error) Bounded() *Error {
	if e == nil {
		return nil
	}
	bounded := *e
	bounded.Message, bounded.Hint = Cut(e.Error()), Cut(e.Hint)
	bounded.Suggestions, bounded.Actions = whole(e.Suggestions), whole(e.Actions)
	return &bounded
}

// whole are the texts that need no cut. It is nil for nil, which has a meaning.
func whole(texts []string) []string {
	if texts == nil {
		return nil
	}
	kept := make([]string, 0, len(texts))
	for _, text := range texts {
		if Cut(text) == text {
			kept = append(kept, text)
		}
	}
	return kept
}

// Cut shortens what is too long in a text that is shown: words, texts in quotes, and
// the text as a whole. What is cut ends in an ellipsis.
func Cut(text string) string {
	if len(text) <= longestWord {
		return text
	}
	var b strings.Builder
	for at := 0; at < len(text) && b.Len() <= longestText; {
		end := wordEnd(text, at)
		b.WriteString(head(text[at:end], longestWord))
		at = end
		for at < len(text) && blank(text[at]) {
			b.WriteByte(text[at])
			at++
		}
	}
	return head(b.String(), longestText)
}

// head is a text as far as it may be long.
func head(text string, longest int) string {
	if len(text) <= longest {
		return text
	}
	for longest > 0 && !utf8.RuneStart(text[longest]) {
		longest--
	}
	closing := ""
	if last := text[len(text)-1]; text[0] == last && (last == '"' || last == '\'') {
		closing = string(last)
	}
	return text[:longest] + ellipsis + closing
}

// blank reports whether a byte separates words.
func blank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' }

// wordEnd is where the word ends that begins at a place; a text in quotes is one, up
// to the end of its quotes.
func wordEnd(text string, at int) int {
	if quote := text[at]; quote == '"' || quote == '\'' {
		for i := at + 1; i < len(text); i++ {
			switch {
			case text[i] == '\\' && quote == '"':
				i++
			case text[i] == quote:
				return i + 1
			}
		}
	}
	for i := at; i < len(text); i++ {
		if i > at && (blank(text[i]) || text[i] == '"') {
			return i
		}
	}
	return len(text)
}

// Excerpt returns the beginning of a text on one line, at most 60 characters of it.
func Excerpt(text string) string {
	const longest = 60
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > longest {
		return string(runes[:longest-1]) + "…"
	}
	return string(runes)
}
