package suggest

import "strings"

// What single words were probably meant for.
var (
	Verbs = verbs
	Flags = flagsOf
)

// Synonyms are the words of each table of synonyms with what they are called here.
func Synonyms() (verbs, flags, values map[string][]string, sorted bool) {
	sorted = true
	read := func(table []synonym) map[string][]string {
		words := map[string][]string{}
		for i, s := range table {
			words[s.word] = strings.Fields(s.here)
			sorted = sorted && (i == 0 || table[i-1].word < s.word)
		}
		return words
	}
	return read(verbSynonyms[:]), read(flagSynonyms[:]), read(valueSynonyms[:]), sorted
}
