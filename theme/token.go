package theme

import (
	"cupola/core"
	"cupola/core/text/report"
)

// Token is a meaning that has a style. The zero value is Text.
type Token uint8

// The tokens.
const (
	// Text is ordinary text, in the terminal's own colour.
	Text Token = iota
	// Dim is of little importance.
	Dim
	// Strong is the text to read first.
	Strong
	// Accent marks the one thing that has the user's attention.
	Accent
	// Border is a line between things; BorderFocused one around what has the keys.
	Border
	BorderFocused
	// Header is the program's name at the top.
	Header
	// FooterKey is a key's name and FooterText what it does.
	FooterKey
	FooterText
	// Danger marks an error, or an act that destroys.
	Danger
	// Good, Warn, Busy and Ask are the colours of states besides Danger and Dim.
	Good
	Warn
	Busy
	Ask
	// Code is something to be typed.
	Code
	// Emphasis is a word that is stressed.
	Emphasis

	tokens
)

var stateTokens = map[core.State]Token{
	core.Working: Busy, core.Waiting: Ask, core.Done: Accent, core.Idle: Good, core.Limited: Warn, core.Errored: Danger,
	core.Starting: Busy, core.Exited: Dim, core.Unknown: Dim,
}

// State is the token of a state's glyph and word; Dim for an unknown one.
func State(state core.State) Token {
	if token, ok := stateTokens[state]; ok {
		return token
	}
	return Dim
}

var toneTokens = map[report.Tone]Token{
	report.Strong: Strong, report.Dim: Dim, report.Good: Good, report.Warn: Warn, report.Bad: Danger, report.Code: Code,
}

// Tone is the token of a report's tone.
func Tone(tone report.Tone) Token {
	if state, ok := tone.State(); ok {
		return State(state)
	}
	return toneTokens[tone]
}
