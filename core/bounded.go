package core

import (
	"strings"
	"unicode/utf8"
)

const (
	// longestWord bounds each word and quoted text in an error, in bytes.
	longestWord = 200
	// longestText bounds each text of an error, in bytes.
	longestText = 2000
	ellipsis    = "…"
)

// Bounded returns a copy of the error for display, with its texts shortened by Cut.
// It omits suggestions and actions that Cut would shorten, because they would change
// their meaning. It keeps Details; callers shorten their texts with Cut.
func (e *Error) Bounded() *Error {
	if e == nil {
		return nil
	}
	bounded := *e
	bounded.Message, bounded.Hint = Cut(e.Error()), Cut(e.Hint)
	bounded.Suggestions, bounded.Actions = withoutLong(e.Suggestions), withoutLong(e.Actions)
	return &bounded
}

// withoutLong returns the texts that Cut leaves unchanged; nil for nil, which has a
// meaning.
func withoutLong(texts []string) []string {
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

// Cut shortens each word and each quoted text to 200 bytes and the whole text to 2000
// bytes. Each part that it shortens ends in an ellipsis.
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

// head returns at most longest bytes of a text, and an ellipsis where it shortens it.
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

// wordEnd returns the end of the word that begins at an offset. A quoted text is one
// word.
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
	runes := []rune(OneLine(text))
	if len(runes) > longest {
		return string(runes[:longest-1]) + "…"
	}
	return string(runes)
}

// OneLine is a text with a blank for each run of blanks and ends of lines.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// End is the end of a text that is longer than most bytes.
func End(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[len(text)-most:], "")
}
