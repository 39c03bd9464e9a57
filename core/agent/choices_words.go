package agent

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"cupola/core"
)

func compiled(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// How programs draw what can be chosen.
var (
	// numberedRow has the groups: the mark, the number (in one of two forms), and the label.
	numberedRow = compiled(`^([❯›▸▶►➤→»●◉◆>*] *)?(?:(\d{1,2})[.)]|[\[(](\d{1,2})[\])]:?)\s+(\S.*)$`)
	pointedRow  = compiled(`^([❯›▸▶►➤→»>]) {1,4}(\S.*)$`)
	radioRow    = compiled(`^([●○◉◯]) {1,2}(\S.*)$`)
	tickRow     = compiled(`(?i)^([❯›>] *)?[◯◻◼☐☑☒✓✔] |^([❯›>] *)?\[[ xX*]\] |\bspace\b.{0,4}\b(to )?(select|toggle|tick|mark|choose)`)
	apart       = compiled(` {2,}`)
	keyedButton = compiled(`^[\[(]([A-Za-z0-9])[\])] ?([A-Za-z][\w' -]*)$`)
	angled      = compiled(`^<(\w[\w ]*)>$`)
	button      = compiled(`(?i)^(allow|approve|accept|reject|deny|decline|confirm|cancel|yes|no|ok|okay|continue|proceed|` +
		`skip|abort|retry|always|never)( (once|always|all|this|it|session|for (this |the )?session))?$`)
	// choosing says which keys choose.
	choosing = compiled(`(?i)\b(enter|return)\b(/\w+)?[:,]? ?(to )?(select|confirm|continue|choose|submit|accept|approve)\b|` +
		`(↑/?↓|↓/?↑|up/down|⇆|←/?→|arrow[ -]keys|arrows)[:,]? ?(to )?(navigate|select|move|choose)`)
	// steering is what composers say of the same keys.
	steering = compiled(`(?i)\b(steer|queue|newline|new line|send)\b`)
	hintRow  = compiled(`(?i)\b(esc|escape|enter|return|tab|ctrl|shift|space)\b|[↑↓←→⇆]`)
	// waitingRow says that the program waits, though it may move.
	waitingRow  = compiled(`(?i)^([\x{2800}-\x{28ff}] )?(waiting for|awaiting) (user|your|confirmation|input|approval)`)
	spinnerRow  = compiled(`(?i)^[\x{2801}-\x{28ff}] |\besc\w* (to )?(interrupt|cancel|stop)\b.*\d+ ?s\b|\d+ ?s\b.*\besc\w* (to )?(interrupt|cancel|stop)\b`)
	promptRow   = compiled(`^[❯›>»$%#λ](\s|$)`)
	quotedRow   = compiled("[\"`{}]")
	barePrompt  = compiled(`^[❯›>»$%#]$`)
	ringed      = compiled(`^[●○◉◯] +`)
	keyLabel    = compiled(`(?i)\((enter|tab|esc|[a-z])( or [a-z]+)?\)$`)
	defaultOne  = compiled(`(?i)\(default\b`)
	numberAsked = compiled(`(?i)(\b(choose|choice|select|selection|option|number|pick)\b[^:>?]{0,40}[:>?]|^#\?)\s*$`)
	// introduction is above a list.
	introduction = compiled(`(?i)\barrow|:$|^[?◆] `)
	pressRow     = compiled(`(?i)\b(?:press|hit)\s+\W?(any key|enter|return|space)\b\W?(?:\s+(?:to|and)\s+(\w+(?: \w+){0,3}))?(?:$|\s*[.,;…]|\s{2}| or )`)
	otherKey     = compiled(`(?i)\bany other key to (\w[\w ]*)$`)
	// edgeRow is above a dialog, itemRow the last of what was said before it, headRow the first of its own.
	edgeRow = compiled(`^\s*([╭┌][─ ]|[─━═▔▄▀]{10,})`)
	// fenceRow begins what is framed inside a dialog.
	fenceRow = compiled(`^\s*[│┃║]\s*[╭┌]─{5,}|^\s*([│┃║] *)?(╌{10,}|┄{10,}|-{10,})`)
	itemRow  = compiled(`^\s{0,3}[●•◆✦⏺■✓✗✔✖◦⎿└❯›>○◇] \S|^\s{0,3}[\x{2800}-\x{28ff}] `)
	footRow  = compiled(`^\s*[╰└]─`)
	headRow  = compiled(`^\s{0,3}(\? +|◆  )\S`)
)

// escaped is the label of what Escape chooses, alwaysTitle the title of a dialog that asks whether to allow for good.
var (
	escaped     = compiled(`(?i)^(no|deny|reject|cancel)\b.*\(esc( to \w+)?\)$`)
	alwaysTitle = compiled(`(?i)^\W*always allow\b`)
)

// answerEnd is what may follow the answers that are offered: the one that is taken if nothing is typed, and a mark.
const answerEnd = `(?: [\[(](?:default[^\])]*|\w+)[\])])?\s*[:?>]*\s*$`

// How programs ask for what is typed behind the question.
var (
	// offered is a list of answers at the end of a question, such as [Y/n] or (yes/no).
	offered = compiled(`(?i)(?:^|[\s\[(?])[\[(]?((?:y|yes)(?:[/,|][^\s/,|\])]+|[/,|]\.\.\.[^\])]*)+)[\])]*` + answerEnd +
		`|[\[(]([a-z](?:[,/|][a-z?])+)[\])]` + answerEnd + `|[\[(](yn[a-z]{0,8})[\])]` + answerEnd)
	// framedLetter is one of them in brackets of its own.
	framedLetter = compiled(`\[([A-Za-z])\]([/,|])|([/,|])\[([A-Za-z])\]`)
	plainWord    = compiled(`^[A-Za-z]{1,12}$`)
	// spelled are answers with their letters in brackets, such as [a]pprove / [d]eny.
	spelled     = compiled(`[\[(]([A-Za-z])[\])]([\w' -]*\w)`)
	spelledEnd  = compiled(`(?:[\[(][A-Za-z][\])][\w' -]+[^\w\[(]+){1,8}[\[(][A-Za-z][\])][\w' -]*\w[\])]*( \[\w+\])?\s*[:?>]*\s*$`)
	worded      = compiled(`(?i)\btype (?:['"]([\w-]{1,20})['"]|(yes|y|ok|confirm|delete)) to \w+[^:]{0,40}[:?>]*\s*$`)
	onlyWord    = compiled(`(?i)\bonly ['"]([\w-]{1,20})['"] will be accepted`)
	valueAsked  = compiled(`(?i)\b(enter a value|value|answer)\s*[:>]\s*$`)
	defaulted   = compiled(`(?i)\?\s*\((yes|no|y|n)\)\s*:?\s*$`)
	secretAsked = compiled(`(?i)\b(password|passphrase|passcode|one-time code|verification code|api key|access (token|key)|secret)\b.{0,100}:$`)
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
	s.complete(c, row)
	c.text = append(c.text, text)
	if question := reasonOf([]string{text}, nil); question == core.ReasonDialog {
		c.reason = reasonOf(s.nearby(row), nil)
	} else {
		c.reason = question
	}
	if c.reason == core.ReasonDialog {
		c.reason = core.ReasonQuestion
	}
	c.keys = keysOf(c.reason, c.text, &answerSpec{})
	c.about = oneLine(c.text[max(0, len(c.text)-1):])
	if valueAsked().MatchString(text) {
		for _, above := range s.nearby(row) {
			if strings.HasSuffix(above, "?") {
				c.about = oneLine([]string{above})
			}
		}
	}
	return c
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

// What dialogs ask with.
var (
	planWords = compiled(`(?i)\b(exit|leave) plan mode\b|\bkeep planning\b|\b(implement|approve|accept|execute) (the|this) plan\b|` +
		`\bmanually approve edits\b|\bplan\b[^.?]{0,40}\?$`)
	approvalWords = compiled(`(?i)\b(allow|approve) (once|always|tool|execution|this|the|command)\b|\balways (allow|approve)\b|` +
		`\bneeds (your )?permission\b|\bpermission (required|request)\b|\brequests? permission\b|\bdon.t ask again\b|` +
		`\bwould you like to (run|make|apply|execute|allow)\b|\bapply (this|these) changes?\b|\bwants to (run|edit|write|execute|delete|read|use)\b|` +
		`\bdo you want to (run|create|edit|write|make|apply|execute|delete|overwrite|fetch|allow|proceed|use)\b|` +
		`\baccepted to approve\b|\b(run|execute) (\w+ )?(command|tool)\b.*\?`)
	approvalLabels = compiled(`(?i)^(allow|approve)\b`)
	denialLabels   = compiled(`(?i)^(deny|reject|decline|no\b|disallow|skip)`)
	trustWords     = compiled(`(?i)\btrust (this|the|folder|and|parent)\b|\bfolder trust\b|\bsafety check\b|\bI trust\b`)
	loginWords     = compiled(`(?i)\b(log|sign)(ging|ing)? ?-?in\b|\blogin\b|\bauthenticat|\bapi key\b|\boauth\b|\bdevice code\b|\bconnect a provider\b`)
	questionWords  = compiled(`(?i)(^|\s)[^\s/]+\?(\s*[(\[][^()\[\]]*[)\]])?$|^question \d+|\bneeds information\b|^answer questions?\b`)
	commandRow     = compiled(`^(?:\$|[Cc]ommand:|[Dd]estination:|[Ff]ile:|[Pp]ath:) +(\S.*)$`)
	pathRow        = compiled(`^(?:/|~/|[A-Z]:\\)\S+$`)
	fileRow        = compiled(`^\S*(/\S|\.\w+$)\S*$`)
	headText       = compiled(`^[?◆] +(?:Shell |Bash )?\s*(\S.*?)(?:\s+[(\[][^()\[\]]*[)\]])?(?: ←)?$`)
)

// reasonOf returns what a dialog is for, by its text and the labels of its options.
func reasonOf(text, labels []string) core.Reason {
	says := func(re func() *regexp.Regexp, rows ...[]string) bool {
		return slices.ContainsFunc(slices.Concat(rows...), re().MatchString)
	}
	switch {
	case says(planWords, text, labels):
		return core.ReasonPlan
	case says(approvalWords, text, labels), says(approvalLabels, labels) && says(denialLabels, labels):
		return core.ReasonApproval
	case says(trustWords, text, labels):
		return core.ReasonTrust
	case says(loginWords, text, labels):
		return core.ReasonLogin
	case says(questionWords, text):
		return core.ReasonQuestion
	}
	return core.ReasonDialog
}

// aboutOf returns what a dialog asks about, in one line: the command or the file of an approval, else its question.
func aboutOf(text, fenced []string, reason core.Reason) string {
	for _, row := range text {
		if at := commandRow().FindStringSubmatch(row); at != nil {
			return oneLine(at[1:])
		}
	}
	if reason == core.ReasonTrust {
		if i := slices.IndexFunc(text, pathRow().MatchString); i >= 0 {
			return oneLine(text[i : i+1])
		}
	}
	if reason == core.ReasonQuestion || reason == core.ReasonLogin {
		for _, row := range slices.Backward(text) {
			if head := headText().FindStringSubmatch(row); head != nil {
				row = head[1]
			}
			if strings.HasSuffix(row, "?") && !strings.Contains(row, "://") {
				return oneLine([]string{row})
			}
		}
	}
	inside := strings.Join(fenced, " ")
	for i, row := range text {
		if at := headText().FindStringSubmatch(row); at != nil {
			if inside == "" || strings.Contains(Squeeze(at[1]), Squeeze(inside)) {
				return oneLine(at[1:])
			}
			return oneLine([]string{at[1], inside})
		}
		if len(fenced) > 0 && i > 0 && row == fenced[0] && fileRow().MatchString(text[i-1]) {
			return oneLine([]string{text[i-1], inside})
		}
	}
	if inside != "" {
		return oneLine(fenced)
	}
	if n := len(text); n > 1 && reason == core.ReasonApproval && strings.HasSuffix(text[n-1], "?") {
		text = text[:n-1]
	}
	return oneLine(text)
}

// generalSettle is how long a dialog must have been seen before a key counts, in programs that are not known.
const generalSettle = 600 * time.Millisecond

// keysOf fills in how the options of a dialog are chosen, and what their labels mean.
func keysOf(reason core.Reason, text []string, keys *answerSpec) *answerSpec {
	general := answerSpec{
		Next: []string{"Down"}, Previous: []string{"Up"}, Confirm: []string{"Enter"}, Cancel: []string{"Escape"},
		Settle: generalSettle, Approve: approveLabels, Always: alwaysLabels, Deny: denyLabels, Text: textLabels,
	}
	switch {
	case reason == core.ReasonQuestion:
		general.Approve, general.Always, general.Deny = plainYes, nil, plainNo
	case reason == core.ReasonPlan:
		general.Always = automaticLabels
	case reason == core.ReasonApproval && len(text) > 0 && alwaysTitle().MatchString(text[0]):
		general.Approve, general.Always = nil, approveLabels
	}
	return keys.over(&general)
}

// The labels of options, by what they mean.
var (
	approveLabels = []*Pattern{
		{Expr: `(?i)^(yes|y)$`},
		{Expr: `(?i)^(yes, )?(allow|approve|accept|run)( (once|it|this( (time|command|tool))?))?$`},
		{Expr: `(?i)^yes, (allow once|proceed|continue|and manually approve|and switch to default|manually accept|implement|allow)\b`},
		{Expr: `(?i)^(yes, I (trust|accept)|trust (and continue|folder)|(proceed|continue|confirm|ok)$)`},
		{Expr: `(?i)^yes\b`},
	}
	alwaysLabels = []*Pattern{
		{Expr: `(?i)\bdon.t ask again\b|\balways\b|\b(for|rest of) (this|the|all future) sessions?\b|\bremember\b|\bfuture sessions?\b|` +
			`\bauto-?(accept|approve)|\bautomatically (accept|approve)|\bswitch to (auto|accept)|\ball edits\b|\bautopilot\b|` +
			`\b(every|all) (time|tools?|commands?|requests?)\b`},
	}
	automaticLabels = []*Pattern{
		{Expr: `(?i)\bauto-?(accept|approve)|\bautomatically (accept|approve)|\bswitch to (auto|accept)|\ball edits\b|\bautopilot\b`},
	}
	denyLabels = []*Pattern{
		{Expr: `(?i)^(no|n)$`}, {Expr: `(?i)^(no\b|deny\b|reject\b|decline\b|refuse\b|disallow\b|don.t )`},
		{Expr: `(?i)^(cancel|abort|back to|quit|exit|skip)\b`},
	}
	textLabels = []*Pattern{
		{Expr: `(?i)^(type|enter) (something|your|a custom)\b|^none of the above|^other \(type`},
	}
	plainYes = []*Pattern{{Expr: `(?i)^(yes|y)$`}}
	plainNo  = []*Pattern{{Expr: `(?i)^(no|n)$`}}
)
