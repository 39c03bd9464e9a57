package story

import (
	"strings"
	"unicode"
)

var (
	requirementLine = pattern(`(?i)^###[ \t]*Requirement:[ \t]*(.+)$`)
	scenarioName    = pattern(`(?i)^Scenario:[ \t]*`)
	removedSection  = pattern(`(?i)^REMOVED Requirements$`)
	stepLine        = pattern(`(?i)^([-*+][ \t]+|\d{1,9}[.)][ \t]+)?([*_]*)(GIVEN|WHEN|THEN|AND|BUT)([*_]*)(?:$|[^\pL\d'’])`)
)

// scenarios reads a spec. Code in it is skipped as OpenSpec does, and so are requirements that are to be removed. A
// scenario without a line of text is none.
func scenarios(capability string, text []byte) []Scenario {
	s := specReader{capability: capability}
	said := strings.TrimPrefix(valid(text), "\uFEFF")
	lines := strings.Split(strings.ReplaceAll(strings.ReplaceAll(said, "\r\n", "\n"), "\r", "\n"), "\n")
	code := specFenced(lines)
	for i, line := range lines {
		switch {
		case code[i]:
			s.hasBody = true
		case !s.heading(strings.TrimRight(line, " \t")):
			s.line(line)
		}
	}
	s.close()
	return s.found
}

type specReader struct {
	capability, requirement string
	found                   []Scenario
	// open is the scenario that is read; nil for none. removed skips all scenarios.
	open             *Scenario
	hasBody, removed bool
	// last is the text that a continued line belongs to; nil for none. blank is true behind a blank line.
	last  *string
	blank bool
	// when is true if AND adds to when, and given if it adds to given.
	when, given bool
}

func (s *specReader) close() {
	if s.open != nil && s.hasBody && !s.removed {
		s.found = append(s.found, *s.open)
	}
	s.open, s.last, s.hasBody, s.blank, s.when, s.given = nil, nil, false, false, false, false
}

// heading reads a line if it is a heading of a scenario or above one.
func (s *specReader) heading(line string) bool {
	if parts := requirementLine().FindStringSubmatch(line); parts != nil {
		s.close()
		s.requirement = headingClosed().ReplaceAllString(trim(parts[1]), "")
		return true
	}
	if strings.HasPrefix(line, " ") {
		return false
	}
	level, title := heading(line)
	switch {
	case level == 0:
		return false
	case level > 4:
		s.hasBody, s.last = true, nil
		return true
	case level == 4:
		s.close()
		s.open = &Scenario{
			Capability: s.capability, Requirement: s.requirement, RequirementID: requirementID(s.requirement),
			Name: trim(scenarioName().ReplaceAllString(title, "")),
		}
		return true
	}
	s.close()
	// Some specs name a requirement without the word.
	s.requirement = title
	if level < 3 {
		s.requirement, s.removed = "", removedSection().MatchString(title)
	}
	return true
}

// line reads a line of a scenario.
func (s *specReader) line(line string) {
	text := trim(line)
	if s.open == nil || text == "" {
		s.blank = true
		return
	}
	s.hasBody = true
	if word, rest := step(text); word != "" {
		s.add(word, rest)
	} else if s.last != nil && (!s.blank || indent([]byte(line)) > 0) {
		*s.last = trim(*s.last + " " + text)
	} else {
		s.last = nil
	}
	s.blank = false
}

// add notes one step.
func (s *specReader) add(word, text string) {
	switch word {
	case "GIVEN":
		s.given, s.when = true, false
	case "WHEN":
		s.given, s.when = false, true
	case "THEN":
		s.given, s.when = false, false
	}
	switch {
	case s.when:
		if s.open.When != "" {
			text = s.open.When + " and " + text
		}
		s.open.When, s.last = text, &s.open.When
	case s.given:
		s.open.Given = append(s.open.Given, text)
		s.last = &s.open.Given[len(s.open.Given)-1]
	default:
		s.open.Then = append(s.open.Then, text)
		s.last = &s.open.Then[len(s.open.Then)-1]
	}
}

// step splits a line into the word that it begins with, in capitals, and the rest. The word is empty for a line that is
// no step. Without the marker of a list it must be bold or in capitals, or else it is part of a sentence.
func step(text string) (word, rest string) {
	at := stepLine().FindStringSubmatchIndex(text)
	if at == nil {
		return "", ""
	}
	marks, word := text[at[4]:at[5]], text[at[6]:at[7]]
	rest = text[at[9]:]
	if at[2] < 0 && marks == "" && word != strings.ToUpper(word) {
		return "", ""
	}
	rest = strings.TrimLeft(rest, ":, \t\u00a0")
	if closing := text[at[8]:at[9]]; marks != "" && closing == "" {
		if strings.HasSuffix(rest, marks) {
			// All of the line is bold.
			rest = strings.TrimSuffix(rest, marks)
		} else if before, after, found := strings.Cut(rest, marks); found {
			rest = before + after
		}
	}
	return strings.ToUpper(word), trim(strings.TrimLeft(rest, ": \t"))
}

// requirementID makes an id of the name of a requirement: lower case, a dash for blanks, no punctuation.
func requirementID(name string) string {
	var b strings.Builder
	for _, word := range strings.Fields(strings.ToLower(name)) {
		word = strings.Map(func(r rune) rune {
			if r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
				return r
			}
			return -1
		}, word)
		if word == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('-')
		}
		b.WriteString(word)
	}
	return b.String()
}
