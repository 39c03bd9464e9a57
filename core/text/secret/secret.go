// Package secret masks credentials in text that is kept or shown to others. It knows them by their form, which the
// rules of gitleaks and some of its own describe, and by what they are called: a variable, a header, a field or a
// flag whose name says password, token, secret or key. What has neither form nor name stays; a mask is no proof
// that a text holds no secret.
package secret

import (
	"cmp"
	"slices"
	"strings"
)

// mark replaces a secret. What stays of one are its first characters, if those name its issuer.
const mark = "[masked]"

// span is a part of a text, from a byte to another one.
type span struct{ from, to int }

// Mask returns a text with its secrets masked, also those that styles, movements of the cursor to the right or
// invisible characters split, and those in titles and links. What splits a secret stays.
func Mask(text string) string { return apply(text, edits(visible(text), text)) }

// Lines masks the lines of a screen, also where a secret continues in the next line. It returns as many lines.
func Lines(lines []string) []string {
	seen, text := joined(lines)
	changes := edits(seen, text)
	if len(changes) == 0 {
		return lines
	}
	return strings.Split(apply(text, changes), "\n")
}

// Pieces masks a text that comes in pieces, also where pieces split a secret. It returns as many pieces.
func Pieces(pieces []string) []string {
	text := strings.Join(pieces, "")
	changes := edits(visible(text), text)
	if len(changes) == 0 {
		return pieces
	}
	masked, from := make([]string, len(pieces)), 0
	for i, piece := range pieces {
		var own []edit
		for len(changes) > 0 && changes[0].at < from+len(piece) {
			e, here := changes[0], from+len(piece)-changes[0].at
			if e.bytes > here { // it continues in the next piece
				changes[0] = edit{e.at + here, e.bytes - here, false}
				e.bytes = here
			} else {
				changes = changes[1:]
			}
			e.at -= from
			own = append(own, e)
		}
		masked[i] = apply(piece, own)
		from += len(piece)
	}
	return masked
}

// edit takes bytes out of a text; the first one of a secret puts the mark there.
type edit struct {
	at, bytes int
	marks     bool
}

// edits returns the changes that mask the secrets of a text, in order.
func edits(v view, text string) []edit {
	var all []edit
	for _, s := range find(v.text) {
		if v.at == nil {
			all = append(all, edit{s.from, s.to - s.from, true})
			continue
		}
		for i := s.from; i < s.to; i++ {
			e := edit{v.at[i], 1, i == s.from}
			if v.moved[e.at] { // what splits it stays
				e.bytes = 0
			}
			all = append(all, e)
		}
	}
	for _, within := range v.strings {
		for _, s := range find(text[within.from:within.to]) {
			all = append(all, edit{within.from + s.from, s.to - s.from, true})
		}
	}
	slices.SortStableFunc(all, func(a, b edit) int { return a.at - b.at })
	return all
}

func apply(text string, all []edit) string {
	if len(all) == 0 {
		return text
	}
	var b strings.Builder
	done := 0
	for _, e := range all {
		b.WriteString(text[done:e.at])
		if e.marks {
			b.WriteString(mark)
		}
		done = e.at + e.bytes
	}
	b.WriteString(text[done:])
	return b.String()
}

// find returns the secrets of a text, in order, without what overlaps.
func find(text string) []span {
	if len(text) < shortest {
		return nil
	}
	spans := matches(text)
	spans = append(spans, named(text)...)
	spans = append(spans, encoded(text)...)
	if len(spans) == 0 {
		return nil
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(a.from-b.from, b.to-a.to) })
	merged := spans[:1]
	for _, s := range spans[1:] {
		if last := &merged[len(merged)-1]; s.from < last.to {
			if s.to == last.to && s.from-last.from <= mostPrefix {
				last.from = s.from // what names the issuer stays
			}
			last.to = max(last.to, s.to)
		} else {
			merged = append(merged, s)
		}
	}
	return slices.DeleteFunc(merged, func(s span) bool { return strings.Contains(text[s.from:s.to], mark) })
}

// mostPrefix is how much of a secret may stay, in bytes.
const mostPrefix = 14

// shortest is how long a text must be to hold a secret with its name.
const shortest = 8
