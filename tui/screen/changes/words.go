package changes

import (
	"unicode"
	"unicode/utf8"

	"cupola/core/git/changes"
	"cupola/theme"
)

// differing returns for the lines of a hunk the part that differs from the line which took its place, in bytes of the
// clean text. Lines without a counterpart, or that have little in common with it, have none.
func differing(lines []changes.Shown) map[int][2]int {
	parts := map[int][2]int{}
	for i := 0; i < len(lines); {
		deleted := run(lines, i, '-')
		added := run(lines, i+deleted, '+')
		for n := range min(deleted, added) {
			if deleted != added {
				break
			}
			old, now := clean(lines[i+n].Text), clean(lines[i+deleted+n].Text)
			head, tail := common(old, now)
			if 3*(head+tail) < max(len(old), len(now)) {
				continue
			}
			parts[i+n], parts[i+deleted+n] = [2]int{head, len(old) - tail}, [2]int{head, len(now) - tail}
		}
		i += max(1, deleted+added)
	}
	return parts
}

// run counts the lines with a sign from one on.
func run(lines []changes.Shown, from int, sign byte) (n int) {
	for from+n < len(lines) && lines[from+n].Sign == sign {
		n++
	}
	return n
}

// common returns how many bytes two texts begin with alike, and how many they end with alike, in whole words.
func common(a, b string) (head, tail int) {
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	for head > 0 && (within(a, head) || within(b, head)) {
		head--
	}
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	for tail > 0 && (within(a, len(a)-tail) || within(b, len(b)-tail)) {
		tail--
	}
	return head, tail
}

// within reports whether a byte of a text is inside a word, or inside a character.
func within(text string, at int) bool {
	if at == 0 || at >= len(text) {
		return false
	}
	if !utf8.RuneStart(text[at]) {
		return true
	}
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at:])
	return word(before) && word(after)
}

// stressed gives the part of a line that differs the token of what matters.
func stressed(parts []part, differs [2]int) (all []part) {
	if differs[0] >= differs[1] {
		return parts
	}
	at := 0
	for _, one := range parts {
		from, to := max(0, min(differs[0]-at, len(one.text))), max(0, min(differs[1]-at, len(one.text)))
		at += len(one.text)
		for _, piece := range []part{
			{one.token, one.text[:from]}, {theme.Strong, one.text[from:to]}, {one.token, one.text[to:]},
		} {
			if piece.text != "" {
				all = append(all, piece)
			}
		}
	}
	return all
}
