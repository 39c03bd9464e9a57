package agent

import (
	"slices"
	"strings"

	"cupola/core"
)

// answerEnd matches the text that may follow the offered answers: the answer taken if nothing is typed, and a mark.
const answerEnd = `(?: [\[(](?:default[^\])]*|\w+)[\])])?\s*[:?>]*\s*$`

// How programs ask for an answer that is typed behind the question.
var (
	// offered is a list of answers at the end of a question, such as [Y/n] or (yes/no).
	offered = compiled(`(?i)(?:^|[\s\[(?])[\[(]?((?:y|yes)(?:[/,|][^\s/,|\])]+|[/,|` +
		`]\.\.\.[^\])]*)+)[\])]*` + answerEnd +
		`|[\[(]([a-z](?:[,/|][a-z?])+)[\])]` + answerEnd + `|[\[(](yn[a-z]{0,8})[\])]` + answerEnd)
	// framedLetter is one of them in brackets of its own.
	framedLetter = compiled(`\[([A-Za-z])\]([/,|])|([/,|])\[([A-Za-z])\]`)
	plainWord    = compiled(`^[A-Za-z]{1,12}$`)
	// spelled are answers with their letters in brackets, such as [a]pprove / [d]eny.
	spelled    = compiled(`[\[(]([A-Za-z])[\])]([\w' -]*\w)`)
	spelledEnd = compiled(`(?:[\[(][A-Za-z][\])][\w' -]+[^\w\[(]+){1,8}` +
		`[\[(][A-Za-z][\])][\w' -]*\w[\])]*( \[\w+\])?\s*[:?>]*\s*$`)
	worded      = compiled(`(?i)\btype (?:['"]([\w-]{1,20})['"]|(yes|y|ok|confirm|delete)) to \w+[^:]{0,40}[:?>]*\s*$`)
	onlyWord    = compiled(`(?i)\bonly ['"]([\w-]{1,20})['"] will be accepted`)
	valueAsked  = compiled(`(?i)\b(enter a value|value|answer)\s*[:>]\s*$`)
	defaulted   = compiled(`(?i)\?\s*\((yes|no|y|n)\)\s*:?\s*$`)
	secretAsked = compiled(`(?i)\b(password|passphrase|passcode|one-time code|verification code|api key|` +
		`access (token|key)|secret)\b.{0,100}:$`)
	// bareAnswers is a row with the answers alone, below its question.
	bareAnswers = compiled(`^[\[(][\w/,|. ]+[\])]\s*[:?>]*$`)
	nameAsked   = compiled(`(?i)^(username|login|e-?mail)( for \S+)?:$`)
)

// asked reads a question that is answered in writing, behind it.
func (s *sketch) asked() *choices {
	row := s.end - 1
	if at := s.page.caret; at.known {
		if row = at.row; row < 0 || row >= len(s.rows) {
			return nil
		}
		// Some leave room for the answer in a row of its own.
		if text := s.rows[row].text; row > 0 && barePrompt().MatchString(text) {
			row--
		} else if text == "" && at.visible && at.column > 0 {
			for row > max(0, at.row-2) && s.rows[row].text == "" {
				row--
			}
		}
	}
	text := s.rows[row].text
	c := &choices{line: text, row: row, keys: &answerSpec{}}
	if secretAsked().MatchString(text) || nameAsked().MatchString(text) {
		c.reason, c.keys, c.about = core.ReasonLogin, keysOf(core.ReasonLogin, nil, c.keys), oneLine([]string{text})
		return c
	}
	for n, answer := range answersIn(text, s.nearby(row)) {
		c.options = append(c.options, Option{N: n + 1, Label: answer.label, typed: answer.typed, row: row})
	}
	if len(c.options) == 0 {
		return nil
	}
	above := s.nearby(row)
	c.text = append(slices.Clone(above[leadOf(above):]), text)
	if c.reason = reasonOf([]string{text}, nil); c.reason == core.ReasonDialog {
		c.reason = reasonOf(above, nil)
	}
	if c.reason == core.ReasonDialog {
		c.reason = core.ReasonQuestion
	}
	c.keys = keysOf(c.reason, c.text, c.keys)
	c.about = oneLine([]string{text})
	if bareAnswers().MatchString(text) && len(c.text) > 1 {
		c.about = oneLine(c.text[:len(c.text)-1])
	}
	if valueAsked().MatchString(text) {
		for _, above := range above {
			if strings.HasSuffix(above, "?") {
				c.about = oneLine([]string{above})
			}
		}
	}
	return c
}

// leadOf returns from which row on rows above a question introduce it: the first that asks, ends in a colon, or names
// what is asked about. Without one none does: they were printed before.
func leadOf(above []string) int {
	lead := slices.IndexFunc(above, func(row string) bool {
		return strings.HasSuffix(row, "?") || strings.HasSuffix(row, ":") || commandRow().MatchString(row)
	})
	if lead < 0 {
		return len(above)
	}
	return lead
}

// nearby are the rows above a question that belong to it.
func (s *sketch) nearby(row int) []string {
	var text []string
	for i := max(0, row-6); i < row; i++ {
		if s.rows[i].text != "" {
			text = append(text, s.rows[i].text)
		}
	}
	return text
}

// answerWord is an answer that may be typed.
type answerWord struct{ label, typed string }

// answersIn returns what may be typed behind a question.
func answersIn(text string, above []string) []answerWord {
	var words []answerWord
	if spelledEnd().MatchString(text) {
		for _, at := range spelled().FindAllStringSubmatch(text, -1) {
			words = append(words, answerWord{at[1] + at[2], strings.ToLower(at[1])})
		}
		return words
	}
	if at := worded().FindStringSubmatch(text); at != nil {
		return []answerWord{{at[1] + at[2], at[1] + at[2]}}
	}
	if at := offered().FindStringSubmatch(framedLetter().ReplaceAllString(text, "$1$2$3$4")); at != nil {
		list := strings.FieldsFunc(at[1]+at[2], func(r rune) bool { return strings.ContainsRune("/,|", r) })
		if at[3] != "" {
			list = strings.Split(at[3], "")
		}
		for _, word := range list {
			if word = strings.TrimRight(word, "?:>"); plainWord().MatchString(word) {
				words = append(words, answerWord{labelOf(word), strings.ToLower(word)})
			}
		}
		return words
	}
	if at := defaulted().FindStringSubmatch(text); at != nil {
		if len(at[1]) == 1 {
			return []answerWord{{"yes", "y"}, {"no", "n"}}
		}
		return []answerWord{{"yes", "yes"}, {"no", "no"}}
	}
	if valueAsked().MatchString(text) {
		for _, row := range above {
			if at := onlyWord().FindStringSubmatch(row); at != nil {
				return []answerWord{{at[1], at[1]}}
			}
		}
	}
	return nil
}

// labelOf returns the word that a letter is short for.
func labelOf(word string) string {
	switch strings.ToLower(word) {
	case "y":
		return "yes"
	case "n":
		return "no"
	}
	return strings.ToLower(word)
}
