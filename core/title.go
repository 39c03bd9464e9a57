package core

import (
	"slices"
	"strings"
	"unicode"
)

// Topic returns the part of a pane's title that is about its work: without what agents animate before it, and without a
// state behind it. It is empty where the title names the machine, as terminals do until a program says otherwise, or
// only the program in the pane.
func (p *Pane) Topic(host string) string {
	title := BareTitle(p.Title)
	if at := strings.LastIndex(title, stateMark); at >= 0 && slices.Contains(States, State(title[at+len(stateMark):])) {
		title = title[:at]
	}
	for _, known := range []string{host, p.Agent.Name, string(p.Agent.Kind), p.Process.Command} {
		if strings.EqualFold(title, known) {
			return ""
		}
	}
	return title
}

// stateMark is before a state at the end of a title.
const stateMark = " · "

// BareTitle returns a title without what agents animate before it: spinners,
// stars and dots, and the blinking "[ ! ]" of Codex. Bytes that are no UTF-8
// become U+FFFD, as they do on the way through JSON.
func BareTitle(title string) string {
	rest := []rune(title)
	for len(rest) > 0 {
		n := ornament(rest)
		if n == 0 {
			break
		}
		rest = rest[n:]
	}
	return strings.TrimRightFunc(string(rest), unicode.IsSpace)
}

// ornament returns how many runes at the beginning say nothing.
func ornament(text []rune) int {
	switch r := text[0]; {
	case unicode.IsSpace(r):
		return 1
	case r == '[':
		return badge(text)
	case r > unicode.MaxASCII:
		if unicode.In(r, unicode.S, unicode.Po, unicode.M, unicode.Cf) {
			return 1
		}
	case unicode.IsPunct(r) || unicode.IsSymbol(r):
		// Alone it is a spinner of "|/-\"; before a letter it may begin a path.
		if len(text) == 1 || unicode.IsSpace(text[1]) {
			return 1
		}
	}
	return 0
}

// maxBadge is the longest badge, brackets included.
const maxBadge = 5

// badge returns the length of brackets that hold no letter and no digit.
func badge(text []rune) int {
	for i, r := range text {
		switch {
		case i >= maxBadge || unicode.IsLetter(r) || unicode.IsDigit(r):
			return 0
		case r == ']':
			return i + 1
		}
	}
	return 0
}
