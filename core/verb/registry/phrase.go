package registry

import (
	"slices"
	"strings"

	"cupola/core"
)

// phrases are the forms of a verb in several words: its own name in two words, either way round,
// the nouns in it by their other names, and those that its declaration adds, which may have three. A form whose
// first word is another verb would take that verb's argument, so only a declared one or
// the name itself may begin so.
func phrases(v *Verb, isVerb func(word string) bool) []string {
	all := slices.Clone(v.Words)
	first, second, two := strings.Cut(v.Name, "-")
	if !two || strings.Contains(second, "-") {
		return all
	}
	all = append(all, first+" "+second)
	if !isNoun(strings.TrimSuffix(first, "s")) && !isNoun(strings.TrimSuffix(second, "s")) {
		return unique(all)
	}
	for _, x := range namesOf(first) {
		for _, y := range namesOf(second) {
			for _, phrase := range [][2]string{{x, y}, {y, x}} {
				if !isVerb(phrase[0]) || slices.Contains(v.Aliases, phrase[0]) {
					all = append(all, phrase[0]+" "+phrase[1])
				}
			}
		}
	}
	slices.Sort(all[len(v.Words):])
	return unique(all)
}

// nouns are other names of the nouns in the names of verbs. All of them may be in the
// plural, too.
var nouns = map[string][]string{"bead": {"task", "item"}, "plugin": {"hooks"}}

// namesOf are the words for a part of a verb's name.
func namesOf(part string) []string {
	singular := strings.TrimSuffix(part, "s")
	if !isNoun(singular) {
		return []string{part}
	}
	words := []string{part}
	for _, word := range append([]string{singular}, nouns[singular]...) {
		words = append(words, word, strings.TrimSuffix(word, "s")+"s")
	}
	return unique(words)
}

// isNoun reports whether a part of a verb's name is a thing, and no act.
func isNoun(part string) bool {
	return slices.Contains([]string{
		"account", "agent", "alert", "bead", "checkpoint", "config", "pane", "pipeline",
		"plugin",
	}, part)
}

// unique leaves out what came before.
func unique(words []string) []string {
	var kept []string
	for _, word := range words {
		if !slices.Contains(kept, word) {
			kept = append(kept, word)
		}
	}
	return kept
}

// MostWords is how many words a form of a verb has at most.
const MostWords = 3

// Phrases are the forms of several words that a verb of the catalog is also called by, as in
// "alert dismiss": those that its declaration names first.
func (c *Catalog) Phrases(v *Verb) []string {
	return slices.DeleteFunc(phrases(v, c.named), func(phrase string) bool {
		first, rest, _ := strings.Cut(phrase, " ")
		return first+"-"+rest == v.Name
	})
}

// named reports whether a word is the name of a verb, and not a further name.
func (c *Catalog) named(word string) bool {
	v := c.Find(word)
	return v != nil && v.Name == word
}

// Phrase returns the verb that some words mean together; nil if none does.
func (c *Catalog) Phrase(words ...string) *Verb {
	if len(words) < 2 {
		return nil
	}
	first, phrase := words[0], strings.Join(words, " ")
	if name, rest, _ := strings.Cut(phrase, " "); c.Find(name+"-"+rest) != nil {
		return c.Find(name + "-" + rest)
	}
	known := c.named(first)
	// Forms that begin with another word need not be judged.
	isVerb := func(word string) bool { return word != first || known }
	return core.Find(c.Verbs, func(v *Verb) bool { return slices.Contains(phrases(v, isVerb), phrase) })
}

// Completions returns the verbs that have a form of several words which begins with some words, by the
// words behind those.
func (c *Catalog) Completions(words ...string) map[string]*Verb {
	completions, beginning := map[string]*Verb{}, strings.Join(words, " ")+" "
	for _, verb := range c.Verbs {
		own := phrases(verb, c.named)
		if before, after, two := strings.Cut(verb.Name, "-"); two && !spelt(verb) {
			own = append(own, before+" "+after)
		}
		for _, phrase := range own {
			if after, is := strings.CutPrefix(phrase, beginning); is {
				completions[after] = verb
			}
		}
	}
	return completions
}

// spelt reports whether the declaration of a verb names the form that has the words of its name.
func spelt(v *Verb) bool {
	return slices.ContainsFunc(v.Words, func(form string) bool { return strings.ReplaceAll(form, " ", "-") == v.Name })
}

// Firsts are the words that begin a real verb's form of several words and are no verbs by
// themselves, sorted.
func (c *Catalog) Firsts() []string {
	var words []string
	for _, verb := range c.RealVerbs() {
		for _, phrase := range append(slices.Clone(verb.Words), strings.Replace(verb.Name, "-", " ", 1)) {
			first, _, two := strings.Cut(phrase, " ")
			if two && !c.Knows(first) {
				words = append(words, first)
			}
		}
		for part := range strings.SplitSeq(verb.Name, "-") {
			for _, noun := range append([]string{part}, nouns[part]...) {
				if isNoun(part) && !c.Knows(noun) {
					words = append(words, noun)
				}
			}
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// Knows reports whether a word names a verb.
func (c *Catalog) Knows(word string) bool { return c.Find(word) != nil }
