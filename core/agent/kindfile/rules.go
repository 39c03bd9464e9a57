package kindfile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"cupola/core"
)

// bottomRows is how many rows at the end of a screen may prove a state.
const bottomRows = 20

// rulesOf derives rules for each label but idle, as tables of the file: as many as it takes to know all its screens,
// the one that knows most of them first. A label has none if no row occurs on its screens alone.
func rulesOf(samples []sample) (rules []string) {
	var labels []string
	for _, s := range samples {
		if label := s.Label(); s.State != core.Idle && !slices.Contains(labels, label) {
			labels = append(labels, label)
		}
	}
	for _, label := range labels {
		var own []int
		for i := range samples {
			if samples[i].Label() == label {
				own = append(own, i)
			}
		}
		all := candidatesFor(samples, label)
		for n := 1; len(own) > 0; n++ {
			best, ok := bestFor(all, own)
			if !ok {
				break
			}
			name := label
			if n > 1 {
				name = fmt.Sprintf("%s-%d", label, n)
			}
			rules = append(rules, best.rule(name, &samples[own[0]]))
			own = slices.DeleteFunc(own, best.proves)
		}
	}
	return rules
}

// candidate is a pattern for a row that may prove a state.
type candidate struct {
	pattern, line string
	// lines is how many rows at the end of the screen it is looked for in, blank ones left out.
	lines int
	// cases are the samples of the state that it matches there; it matches none of another state.
	cases []int
	// worth is the weight of its words as evidence of the state; more is better.
	worth int
}

func (c *candidate) proves(sample int) bool { return slices.Contains(c.cases, sample) }

// bestFor returns the candidate that proves most of the samples; ok is false if none proves any.
func bestFor(all []candidate, samples []int) (best candidate, ok bool) {
	score := 0
	for _, c := range all {
		known := 0
		for _, i := range samples {
			if c.proves(i) {
				known++
			}
		}
		if n := 10*known + c.worth; known > 0 && n > score {
			best, score, ok = c, n, true
		}
	}
	return best, ok
}

// rule returns the candidate as a table of the file.
func (c *candidate) rule(name string, of *sample) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n[rule.%s]\nstate = %q\n", name, of.State)
	if of.Reason != "" {
		fmt.Fprintf(&b, "reason = %q\n", of.Reason)
	}
	fmt.Fprintf(&b, "source = %q\npriority = 50\nregion = \"bottom\"\nlines = %d\nall = [%s]\n",
		"recorded: "+cutOff(c.line), c.lines, literal(c.pattern))
	return b.String()
}

// candidatesFor returns the patterns that match screens with a label and no other ones.
func candidatesFor(samples []sample, label string) []candidate {
	var all []candidate
	seen := map[string]bool{}
	for i := range samples {
		s := &samples[i]
		if s.Label() != label {
			continue
		}
		depth := 0
		for at := s.last; at >= 0 && depth < bottomRows; at-- {
			if s.rows[at] == "" {
				continue
			}
			depth++
			for _, pattern := range patternsOf(s.rows[at], s.State) {
				if seen[pattern] {
					continue
				}
				seen[pattern] = true
				c := candidate{pattern: pattern, line: strings.TrimSpace(s.rows[at])}
				if c.judge(samples, label, s.State) {
					all = append(all, c)
				}
			}
		}
	}
	return all
}

// spare is how many more rows a rule looks at than where its row was recorded.
const spare = 3

// judge searches all screens for the pattern; false if it occurs on no screen of the state, or on those of others too.
func (c *candidate) judge(samples []sample, label string, state core.State) bool {
	re, err := regexp.Compile(c.pattern)
	if err != nil {
		return false
	}
	depths, most := make([]int, len(samples)), bottomRows+spare
	for i := range samples {
		if depths[i] = samples[i].depthOf(re); depths[i] > 0 && samples[i].Label() != label {
			most = min(most, depths[i]-1) // what was asked stays above what came next
		}
	}
	for i, depth := range depths {
		if depth > 0 && depth <= most && samples[i].Label() == label {
			c.cases, c.lines = append(c.cases, i), max(c.lines, depth)
		}
	}
	c.lines = min(c.lines+spare, most)
	if words := stateWords[state]; words != nil && words.MatchString(c.line) {
		c.worth += 5
	}
	if first := []rune(c.line)[0]; state == core.Working && first >= '⠁' && first <= '⣿' {
		c.worth += 3
	}
	return len(c.cases) > 0
}

// depthOf is how many rows that are not blank are from the last row that matches to the end; 0 if none matches.
func (s *sample) depthOf(re *regexp.Regexp) int {
	depth := 0
	for i := s.last; i >= 0 && depth < bottomRows+spare; i-- {
		if s.rows[i] == "" {
			continue
		}
		depth++
		if re.MatchString(s.rows[i]) {
			return depth
		}
	}
	return 0
}

func cutOff(text string) string {
	if runes := []rune(text); len(runes) > 60 {
		return string(runes[:60]) + "…"
	}
	return text
}

// stateWords are patterns for words that programs show in a state.
var stateWords = map[core.State]*regexp.Regexp{
	core.Working: regexp.MustCompile(`(?i)\b(esc|escape|ctrl|interrupt|cancel|stop|working|thinking|running)\b|…|\.\.\.`),
	core.Waiting: regexp.MustCompile(`(?i)\?|\b(allow|approve|permission|proceed|confirm|trust|select|choose|y/n)\b`),
	core.Errored: regexp.MustCompile(`(?i)\b(error|failed|failure|unauthorized|invalid)\b`),
	core.Limited: regexp.MustCompile(`(?i)\b(limit|quota|too many)\b`),
}

// stopWords say in a row which key stops a turn: what is before them changes from turn to turn.
var stopWords = regexp.MustCompile(`(?i)\b(esc|escape|ctrl[+-]c) (to )?(interrupt|cancel|stop)\b`)

// patternsOf returns patterns for rows like this one, the widest first; none for a row without words.
func patternsOf(row string, state core.State) (patterns []string) {
	if words := stopWords.FindString(row); words != "" && state == core.Working {
		patterns = append(patterns, `\b`+generalised(words)+`\b`)
	}
	// Spinners take many forms.
	text := []rune(strings.TrimSpace(row))
	start := ""
	if len(text) > 0 && !unicode.IsLetter(text[0]) && !unicode.IsDigit(text[0]) &&
		!strings.ContainsRune("│┃|[(", text[0]) {
		start = `\S`
		if braille(text[0]) {
			start = `[⠁-⣿]`
		}
		text = text[1:]
	}
	if whole := generalised(string(text[:min(len(text), longestRow)])); whole != "" {
		patterns = append(patterns, `^\s*`+start+whole)
	}
	return patterns
}

// longestRow bounds what a pattern takes of a row, in characters.
const longestRow = 48

// generalised is a pattern for texts like this one: any numbers, any spinner, any blanks; empty for a text without
// words.
func generalised(text string) string {
	var b strings.Builder
	runes, letters := []rune(text), 0
	for i := 0; i < len(runes); {
		r, end := runes[i], i+1
		for end < len(runes) && same(runes[end], r) {
			end++
		}
		switch {
		case unicode.IsDigit(r):
			b.WriteString(`\d+`)
		case r == ' ':
			b.WriteString(`\s+`)
		case braille(r):
			b.WriteString(`[⠁-⣿]`)
		case end-i > 3:
			b.WriteString(regexp.QuoteMeta(string(r)) + "+")
		default:
			b.WriteString(regexp.QuoteMeta(string(runes[i:end])))
		}
		if unicode.IsLetter(r) {
			letters += end - i
		}
		i = end
	}
	if letters < 3 {
		return ""
	}
	return b.String()
}

// braille reports whether a character is of the spinner that most programs draw.
func braille(r rune) bool { return r >= '⠁' && r <= '⣿' }

// same reports whether a character continues the run of another one: of digits, blanks, spinners, or of itself.
func same(next, r rune) bool {
	return next == r || unicode.IsDigit(r) && unicode.IsDigit(next) || braille(r) && braille(next)
}
