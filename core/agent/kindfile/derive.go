package kindfile

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"cupola/core"
	"cupola/core/agent"
)

// sample is a case with the rows that rules match.
type sample struct {
	*Case
	rows []string
	// last is the last row that is not blank.
	last int
}

// Derive returns the file of a kind: its names, the command line that starts it (argv, which may be empty), and an
// input box and rules for the states of the cases; head is the comment at its top. Notes say what could not be derived.
// The same arguments always give the same file.
func Derive(name, head string, argv []string, cases []Case) (text string, notes []string) {
	samples := make([]sample, len(cases))
	for i := range cases {
		rows := agent.Rows(cases[i].Screen())
		last := len(rows) - 1
		for last > 0 && rows[last] == "" {
			last--
		}
		samples[i] = sample{&cases[i], rows, last}
	}
	var b strings.Builder
	comment(&b, head+" As long as it is not changed by hand, the next recording derives it anew.")
	values := valuesOf(name, name)
	if len(argv) > 0 {
		values = valuesOf(name, filepath.Base(argv[0]))
		values["launch.command"] = list(argv...)
	}
	if slices.ContainsFunc(samples, interruptedByCtrlC) {
		values["keys.interrupt"] = list("C-c")
	}
	for _, section := range agent.Sections() {
		var lines []string
		for _, key := range section.Keys {
			if value, used := values[key.Name]; used {
				lines = append(lines, strings.TrimPrefix(key.Name, section.Name+".")+" = "+value+"\n")
			}
		}
		if len(lines) > 0 && section.Name != "" {
			b.WriteString("\n[" + section.Name + "]\n")
		}
		b.WriteString(strings.Join(lines, ""))
	}
	box, note := boxOf(samples)
	if note != "" {
		notes = append(notes, note)
	}
	b.WriteString(box)
	rules, notes := rulesOf(samples, notes)
	b.WriteString(rules)
	b.WriteString(choicesOf(samples))
	return b.String(), notes
}

var (
	saysEscape = regexp.MustCompile(`(?i)\besc(ape)?\b`)
	saysCtrlC  = regexp.MustCompile(`(?i)\bctrl[+-]c\b|\^c\b`)
)

// interruptedByCtrlC reports whether a program that works says that Ctrl-C stops it, and nothing of Escape.
func interruptedByCtrlC(s sample) bool {
	text := strings.Join(s.rows[max(0, s.last-bottomRows):], "\n")
	return s.State == core.Working && saysCtrlC.MatchString(text) && !saysEscape.MatchString(text)
}

// lineDrawing are the characters that edges of boxes are drawn with.
const lineDrawing = "─━═_▀▄▁▔╭╮╰╯┌┐└┘├┤╹╵╷╻"

// edge reports whether a row is an edge of a box: it begins with at least two characters of lines.
func edge(row string) bool {
	runes := []rune(strings.TrimLeft(row, " "))
	return len(runes) > 4 && strings.ContainsRune(lineDrawing, runes[0]) && strings.ContainsRune(lineDrawing, runes[1])
}

// box is an input box as one screen shows it.
type box struct {
	top, bottom, prompt, more, placeholder string
	skipTop, skipBottom, below             int
	// cursor is true if the terminal's cursor is in it.
	cursor bool
}

// boxOf derives the table composer from the idle screens.
func boxOf(samples []sample) (text, note string) {
	var found []box
	visible, placeholders := true, []string{}
	for i := range samples {
		s := &samples[i]
		if s.State != core.Idle {
			continue
		}
		one, ok := boxIn(s)
		if !ok {
			return "", "the input box was not found on an idle screen: write [composer] by hand"
		}
		found = append(found, one)
		visible = visible && s.Cursor.Visible
		if p := one.placeholder; p != "" && !slices.Contains(placeholders, p) {
			placeholders = append(placeholders, p)
		}
	}
	if len(found) == 0 {
		return "", "no idle screen was recorded, so the input box is not known"
	}
	one, below, cursor := found[0], 0, true
	for _, each := range found {
		below, cursor = max(below, each.below), cursor && each.cursor
	}
	var b strings.Builder
	b.WriteString("\n[composer]\n")
	for _, part := range []struct {
		key string
		of  func(box) string
	}{
		{"bottom", func(b box) string { return b.bottom }},
		{"top", func(b box) string { return b.top }},
		{"prompt", func(b box) string { return b.prompt }},
		{"more", func(b box) string { return b.more }},
	} {
		if pattern := anyOf(found, part.of); pattern != "" {
			fmt.Fprintf(&b, "%s = %s\n", part.key, literal(pattern))
		}
	}
	if one.skipTop > 0 {
		fmt.Fprintf(&b, "skip_top = %d\n", one.skipTop)
	}
	if one.skipBottom > 0 {
		fmt.Fprintf(&b, "skip_bottom = %d\n", one.skipBottom)
	}
	fmt.Fprintf(&b, "below = %d\n", below+3)
	switch {
	case cursor && visible:
		b.WriteString("cursor = \"visible\"\n")
	case cursor:
		b.WriteString("cursor = \"inside\"\n")
	}
	if len(placeholders) > 0 {
		fmt.Fprintf(&b, "placeholders = %s\n", listOf(literal, placeholders))
	}
	return b.String(), ""
}

// anyOf returns a pattern that matches the edge or sign of each of the boxes, which of returns.
func anyOf(found []box, of func(box) string) string {
	var patterns []string
	for _, one := range found {
		if p := of(one); p != "" && !slices.Contains(patterns, p) {
			patterns = append(patterns, p)
		}
	}
	if len(patterns) < 2 {
		return strings.Join(patterns, "")
	}
	return "(" + strings.Join(patterns, "|") + ")"
}

// tallestBox bounds how far from the cursor the edges are looked for.
const tallestBox = 5

// promptRow matches the start of a row that begins with a sign that programs put before a draft.
var promptRow = regexp.MustCompile(`^\s*[│┃|]?\s*[>❯›*»$]( |$)`)

func boxIn(s *sample) (found box, ok bool) {
	at := s.Cursor.Y - (s.Height - len(s.rows))
	if s.Height > 0 && at >= 0 && at < len(s.rows) {
		runes := []rune(s.rows[at])
		if found, ok = s.boxAt(at, string(runes[:min(len(runes), s.Cursor.X)])); ok {
			found.cursor = true
			return found, true
		}
	}
	// Some programs hide the cursor and draw one of their own.
	for i := s.last; i > 0 && i > s.last-bottomRows; i-- {
		if sign := promptRow.FindString(s.rows[i]); sign != "" && edge(s.rows[i-1]) {
			return s.boxAt(i, sign)
		}
	}
	return box{}, false
}

// boxAt returns the box whose draft begins in a row, behind a sign; ok is false if there is none.
func (s *sample) boxAt(at int, before string) (found box, ok bool) {
	sign := strings.TrimRight(before, " ")
	bottom := -1
	for i := at + 1; i <= min(s.last, at+tallestBox) && bottom < 0; i++ {
		if edge(s.rows[i]) {
			bottom = i
		}
	}
	if rest := strings.Trim(strings.TrimPrefix(s.rows[at], sign), " │┃|█"); rest != "" {
		found.placeholder = "^" + regexp.QuoteMeta(rest) + `\s*[│┃]?$`
	}
	found.prompt, found.more = "^"+regexp.QuoteMeta(sign), "^"+indented(sign)
	if strings.TrimSpace(sign) != "" {
		found.prompt += " ?"
	}
	if bottom < 0 {
		found.bottom = "^$"
		return found, strings.TrimSpace(sign) != "" // without edges and sign, any row would match
	}
	found.bottom = edgePattern(s.rows[bottom])
	for i := bottom + 1; i <= s.last; i++ {
		if s.rows[i] != "" {
			found.below++
		}
	}
	for i := at + 1; i < bottom && found.skipBottom == 0; i++ {
		if strings.Trim(s.rows[i], " │┃|█") != "" {
			found.skipBottom = bottom - i // what is below the draft inside the box
		}
	}
	ok = s.upper(&found, at, sign, strings.Index(s.rows[bottom], strings.TrimSpace(s.rows[bottom])))
	return found, ok
}

// upper finds the upper edge: a line in the column of the lower one or, where the box has a side, a row without that.
func (s *sample) upper(found *box, at int, sign string, column int) bool {
	for i := at - 1; i >= max(0, at-tallestBox); i-- {
		row := s.rows[i]
		if edge(row) && strings.Index(row, strings.TrimSpace(row)) == column {
			found.top, found.skipTop = edgePattern(row), at-i-1
			return true
		}
	}
	side := strings.TrimSpace(sign)
	if side == "" || !strings.ContainsAny(side[:min(len(side), len("│"))], "│┃|") {
		return false
	}
	first := string([]rune(side)[0])
	for i := at - 1; i >= max(0, at-tallestBox); i-- {
		if !strings.Contains(s.rows[i], first) {
			found.top, found.skipTop = "^[^"+first+"]*$", at-i-1
			return true
		}
	}
	return false
}

// indented is what begins the further rows of a draft: the side of the box, and blanks in the place of the sign.
func indented(sign string) string {
	blanks := strings.Map(func(r rune) rune {
		if strings.ContainsRune("│┃|", r) {
			return r
		}
		return ' '
	}, sign)
	return regexp.QuoteMeta(strings.TrimRight(blanks, " "))
}

// edgePattern matches an edge by how it begins, whatever its width.
func edgePattern(row string) string {
	rest := strings.TrimLeft(row, " ")
	runes := []rune(rest)
	pattern := "^" + strings.Repeat(" ", len(row)-len(rest)) + regexp.QuoteMeta(string(runes[0]))
	return pattern + regexp.QuoteMeta(string(runes[1])) + "+"
}

// bottomRows is how many rows at the end of a screen may prove a state.
const bottomRows = 20

// rulesOf derives a rule for each label but idle.
func rulesOf(samples []sample, notes []string) (text string, _ []string) {
	var b strings.Builder
	var labels []string
	for _, s := range samples {
		if label := s.Label(); s.State != core.Idle && !slices.Contains(labels, label) {
			labels = append(labels, label)
		}
	}
	for _, label := range labels {
		rule, ok := ruleOf(samples, label)
		if !ok {
			notes = append(notes,
				"no row tells "+label+" from the other states: record it once more, or write the rule by hand")
			continue
		}
		b.WriteString(rule)
	}
	return b.String(), notes
}

// candidate is a pattern for a row that may prove a state.
type candidate struct {
	pattern string
	line    string
	// depth is how many rows that are not blank are from it to the end, at most.
	depth int
	score int
}

func ruleOf(samples []sample, label string) (text string, ok bool) {
	var best candidate
	var state core.State
	var reason core.Reason
	for _, s := range samples {
		if s.Label() != label {
			continue
		}
		state, reason = s.State, s.Reason
		depth := 0
		for i := s.last; i >= 0 && depth < bottomRows; i-- {
			if s.rows[i] == "" {
				continue
			}
			depth++
			c := candidate{pattern: generalised(s.rows[i]), line: strings.TrimSpace(s.rows[i]), depth: depth}
			if c.pattern == "" || !c.judge(samples, label, s.State) {
				continue
			}
			if c.score > best.score {
				best = c
			}
		}
	}
	if best.pattern == "" {
		return "", false
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n[rule.%s]\nstate = %q\n", label, state)
	if reason != "" {
		fmt.Fprintf(&b, "reason = %q\n", reason)
	}
	fmt.Fprintf(&b, "source = %q\npriority = 50\nregion = \"bottom\"\nlines = %d\nall = [%s]\n",
		"recorded: "+cutOff(best.line), best.depth+3, literal(best.pattern))
	return b.String(), true
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

// judge scores a pattern; false if it matches a screen of another state.
func (c *candidate) judge(samples []sample, label string, state core.State) bool {
	re, err := regexp.Compile(c.pattern)
	if err != nil {
		return false
	}
	c.score = 1
	for i := range samples {
		depth := samples[i].depthOf(re)
		switch {
		case depth > 0 && samples[i].Label() != label:
			return false
		case depth > 0:
			c.depth = max(c.depth, depth)
			c.score += 10 // the more screens of the state show it, the better
		}
	}
	if words := stateWords[state]; words != nil && words.MatchString(c.line) {
		c.score += 5
	}
	if first := []rune(c.line)[0]; state == core.Working && first >= '⠁' && first <= '⣿' {
		c.score += 3
	}
	return true
}

// depthOf is how many rows that are not blank are from the last row that matches to the end; 0 if none matches.
func (s *sample) depthOf(re *regexp.Regexp) int {
	depth := 0
	for i := s.last; i >= 0 && depth < bottomRows+5; i-- {
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

// longestRow bounds what a pattern takes of a row, in characters.
const longestRow = 48

// generalised is a pattern for rows like this one: any numbers, any spinner, any blanks; empty for a row without words.
func generalised(row string) string {
	text := strings.TrimSpace(row)
	runes := []rune(text)
	if len(runes) > longestRow {
		runes = runes[:longestRow]
	}
	var b strings.Builder
	b.WriteString(`^\s*`)
	letters := 0
	for i := 0; i < len(runes); i++ {
		r, end := runes[i], i+1
		for end < len(runes) && same(runes[end], r) {
			end++
		}
		switch {
		case unicode.IsDigit(r):
			b.WriteString(`\d+`)
		case r == ' ':
			b.WriteString(`\s+`)
		case r >= '⠁' && r <= '⣿':
			b.WriteString(`[⠁-⣿]`)
		case end-i > 3:
			b.WriteString(regexp.QuoteMeta(string(r)) + "+")
		case i == 0 && !unicode.IsLetter(r) && !strings.ContainsRune("│┃|[(", r):
			b.WriteString(`\S`) // spinners take many forms
			end = i + 1
		default:
			for _, r := range runes[i:end] {
				b.WriteString(regexp.QuoteMeta(string(r)))
			}
		}
		if unicode.IsLetter(r) {
			letters += end - i
		}
		i = end - 1
	}
	if letters < 3 {
		return ""
	}
	return b.String()
}

// same reports whether a character continues the run of another one: of digits, blanks, spinners, or of itself.
func same(next, r rune) bool {
	switch {
	case unicode.IsDigit(r):
		return unicode.IsDigit(next)
	case r >= '⠁' && r <= '⣿':
		return next >= '⠁' && next <= '⣿'
	}
	return next == r
}

var (
	numberedRow = regexp.MustCompile(`^\s*[│┃|]?\s*([❯›▸▶▷➤➜●→>*] *)?\d+[.)] +\S`)
	pointedRow  = regexp.MustCompile(`^\s*[│┃|]?\s*[❯›▸▶▷➤➜●→] +\S`)
)

// choicesOf derives the table answer.default: from a dialog with numbered choices or, if there is none, one with a
// pointer. It is empty if no dialog has either.
func choicesOf(samples []sample) string {
	const sides = `^\s*[│┃|]?\s*`
	var option string
	for _, s := range samples {
		if s.State != core.Waiting {
			continue
		}
		numbered, pointed := 0, 0
		for i := s.last; i >= max(0, s.last-bottomRows); i-- {
			if numberedRow.MatchString(s.rows[i]) {
				numbered++
			} else if pointedRow.MatchString(s.rows[i]) {
				pointed++
			}
		}
		switch {
		case numbered > 1:
			option = "option = " + literal(sides+`(?P<at>[❯›▸▶▷➤➜●→>*] *)?(?P<n>\d+)[.)] +(?P<label>\S.*?)\s*[│┃]?$`)
		case pointed == 1 && option == "":
			option = "pointed = " + literal(sides+`[❯›▸▶▷➤➜●→] +(?P<label>\S.*?)\s*[│┃]?$`)
		}
	}
	if option == "" {
		return ""
	}
	return "\n# How its dialogs are answered: try it, and see to the labels.\n[answer.default]\n" + option +
		"\npick = \"move\"\nnext = [\"Down\"]\nprevious = [\"Up\"]\nconfirm = [\"Enter\"]\nsettle = \"300ms\"\n" +
		`approve = ['(?i)^(yes|allow|approve|accept|proceed|run)\b']` + "\n" +
		`always = ['(?i)\b(always|session|remember|all)\b|don.t ask']` + "\n" +
		`deny = ['(?i)^(no|deny|reject|decline|cancel)\b']` + "\n"
}
