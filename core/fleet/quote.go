package fleet

import "strings"

// plainRunes need no quotes in any shell.
const plainRunes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,./:@%"

// quote writes one word as a shell would read it back.
func quote(word string) string {
	if word != "" && strings.Trim(word, plainRunes) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// commandLine writes a command as a shell would read it back.
func commandLine(argv ...string) string {
	words := make([]string, len(argv))
	for i, word := range argv {
		words[i] = quote(word)
	}
	return strings.Join(words, " ")
}
