package agent

import (
	"regexp"
	"sync"
)

// compiled returns a function that compiles an expression when it is first called.
func compiled(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// How programs draw what can be chosen.
var (
	// numberedRow has the groups: the mark, the number (in one of two forms), and the label.
	numberedRow = compiled(`^([❯›▸▶►➤→»●◉◆>*] *)?(?:(\d{1,2})[.)]|[\[(](\d{1,2})[\])]:?)\s+(\S.*)$`)
	pointedRow  = compiled(`^([❯›▸▶►➤→»>]) {1,4}(\S.*)$`)
	radioRow    = compiled(`^([●○◉◯]) {1,2}(\S.*)$`)
	tickRow     = compiled(`(?i)^([❯›>] *)?[◯◻◼☐☑☒✓✔] |^([❯›>] *)?\[[ xX*]\] |\bspace\b.{0,4}\b(to )?` +
		`(select|toggle|tick|mark|choose)`)
	apart       = compiled(` {2,}`)
	keyedButton = compiled(`^[\[(]([A-Za-z0-9]|Enter|Esc|Tab)[\])] ?([A-Za-z][\w' -]*)$`)
	angled      = compiled(`^<(\w[\w ]*)>$`)
	button      = compiled(`(?i)^(allow|approve|accept|reject|deny|decline|confirm|cancel|yes|no|ok|okay|` +
		`continue|proceed|` +
		`skip|abort|retry|always|never)( (once|always|all|this|it|session|for (this |the )?session))?$`)
	// choosing says which keys choose.
	choosing = compiled(`(?i)\b(enter|return)\b(/\w+)?[:,]? ?(to )?(select|confirm|continue|choose|submit|` +
		`accept|approve)\b|` +
		`(↑/?↓|↓/?↑|up/down|⇆|←/?→|arrow[ -]keys|arrows)[:,]? ?(to )?(navigate|select|move|choose)`)
	// steering matches a composer's hints for the same keys.
	steering = compiled(`(?i)\b(steer|queue|newline|new line|send)\b`)
	hintRow  = compiled(`(?i)\b(esc|escape|enter|return|tab|ctrl|shift|space)\b|[↑↓←→⇆]`)
	// waitingRow says that the program waits, though it may move.
	waitingRow = compiled(`(?i)^([\x{2800}-\x{28ff}] )?(waiting for|awaiting) (user|your|confirmation|input|approval)`)
	spinnerRow = compiled(`(?i)^[\x{2801}-\x{28ff}] |\besc\w* (to )?(interrupt|cancel|stop)\b.*\d+ ?s\b|` +
		`\d+ ?s\b.*\besc\w* (to )?(interrupt|cancel|stop)\b`)
	promptRow   = compiled(`^[❯›>»$%#λ](\s|$)`)
	quotedRow   = compiled("[\"`{}]")
	barePrompt  = compiled(`^[❯›>»$%#]$`)
	ringed      = compiled(`^[●○◉◯] +`)
	keyLabel    = compiled(`(?i)\((enter|tab|esc|[a-z])( or [a-z]+)?\)$`)
	defaultOne  = compiled(`(?i)\(default\b`)
	numberAsked = compiled(`(?i)(\b(choose|choice|select|selection|option|number|pick)\b[^:>?]{0,40}[:>?]|^#\?)\s*$`)
	// introduction is above a list.
	introduction = compiled(`(?i)\barrow|:$|^(\? |◆  )`)
	// saidRow begins what an agent said, which no dialog has below its options.
	saidRow  = compiled(`^[◆✦⏺] \S`)
	pressRow = compiled(`(?i)\b(?:press|hit)\s+\W?(any key|enter|return|space)\b\W?(?:\s+(?:to|` +
		`and)\s+(\w+(?: \w+){0,3}))?(?:$|\s*[.,;…]|\s{2}| or )`)
	otherKey = compiled(`(?i)\bany other key to (\w[\w ]*)$`)
	// titledEdge is an edge above a dialog with words in it, itemRow the last row of what was said before it, headRow
	// the first of its own.
	titledEdge = compiled(`^\s*[╭┌][─ ]`)
	// fenceRow begins what is framed inside a dialog.
	fenceRow = compiled(`^\s*[│┃║]\s*[╭┌]─{5,}|^\s*([│┃║] *)?(╌{10,}|┄{10,}|-{10,})`)
	itemRow  = compiled(`^\s{0,3}[●•◆✦⏺■✓✗✔✖◦⎿└❯›>○◇] \S|^\s{0,3}[\x{2800}-\x{28ff}] `)
	footRow  = compiled(`^\s*[╰└]─`)
	headRow  = compiled(`^\s{0,3}(\? +|◆  )\S`)
)
