package term

import "strings"

// Kind is the kind of an event.
type Kind string

// The kinds of events. The text of each is in parentheses.
const (
	Bell         Kind = "bell"         // the bell rang ("")
	TitleSet     Kind = "title"        // the window was called something (the title)
	Notification Kind = "notification" // OSC 9, 99 or 777 (what it says)
	Progress     Kind = "progress"     // OSC 9;4 (STATE;PERCENT)
	Folder       Kind = "folder"       // OSC 7 (the address of a folder)
	Clipboard    Kind = "clipboard"    // OSC 52 (SELECTION;BASE64)
	Prompt       Kind = "prompt"       // OSC 133 (A, B, C or D, with what follows)
	Status       Kind = "status"       // OSC 7501 (the status that a program has of itself)
)

// Event is a message of a program to its terminal that changes no cell.
type Event struct {
	Kind Kind
	Text string
}

func (t *emulator) say(kind Kind, text string) {
	if t.events != nil {
		t.events(Event{kind, text})
	}
}

// answer answers a question. An empty answer is silence.
func (t *emulator) answer(text string) {
	t.relay.asked = true
	if text == "" {
		return
	}
	if t.answers != nil {
		t.answers([]byte(text))
	}
}

// takeString does what a string between ESC and its end says.
func (t *emulator) takeString(kind byte, str []byte) {
	t.last = 0
	if kind != ']' {
		switch {
		case kind == 'P':
			t.device(string(str))
		case kind == '_' && strings.HasPrefix(string(str), "G") && strings.Contains(string(str), "a=q"):
			t.answer("") // whether pictures are known
		}
		return
	}
	number, rest, _ := strings.Cut(string(str), ";")
	switch number {
	case "0", "2":
		t.title = strings.ToValidUTF8(rest, "")
		t.say(TitleSet, t.title)
	case "7":
		t.say(Folder, rest)
	case "9":
		if progress, is := strings.CutPrefix(rest, "4;"); is {
			t.say(Progress, progress)
		} else {
			t.say(Notification, rest)
		}
	case "99", "777":
		if about, _, _ := strings.Cut(rest, ";"); number == "99" && strings.Contains(about, "p=?") {
			t.answer("") // whether notifications are known
		} else {
			t.say(Notification, rest)
		}
	case "66": // text of other sizes is not known here
		t.answer("")
	case "1337":
		if rest == "Capabilities" || rest == "ReportCellSize" {
			t.answer("")
		}
	case "52":
		if strings.HasSuffix(rest, ";?") {
			t.answer("") // what is on the clipboard is the user's
		} else {
			t.say(Clipboard, rest)
		}
	case "133":
		t.say(Prompt, rest)
	case "10", "11", "12":
		if rest == "?" {
			colours := map[string]string{"10": "e5e5/e5e5/e5e5", "11": "0000/0000/0000", "12": "e5e5/e5e5/e5e5"}
			t.answer("\x1b]" + number + ";rgb:" + colours[number] + "\x1b\\")
		}
	case "4", "21":
		if strings.Contains(rest, "?") {
			t.answer("")
		}
	case "7501":
		if rest == "?" {
			t.answer("\x1b]7501;?\x1b\\")
			return
		}
		t.say(Status, rest)
	}
}

// device answers the strings of DCS that ask something.
func (t *emulator) device(str string) {
	switch {
	case strings.HasPrefix(str, "+q"): // XTGETTCAP: nothing is known of capabilities
		t.answer("\x1bP0+r\x1b\\")
	case str == "$q q":
		t.answer("\x1bP1$r" + itoa(t.modes.shape) + " q\x1b\\")
	case strings.HasPrefix(str, "$q"):
		t.answer("\x1bP0$r\x1b\\")
	}
}

// report answers a control sequence that asks something.
func (t *emulator) report(final byte) {
	n := t.parser.param(0, 0, 0)
	switch {
	case final == 'c' && n == 0:
		t.answer("\x1b[?62;22c")
	case final == 'n' && n == 5:
		t.answer("\x1b[0n")
	case final == 'n' && n == 6:
		x, y := min(t.x, t.width-1), t.y
		t.answer("\x1b[" + itoa(y+1) + ";" + itoa(x+1) + "R")
	case final == 't' && n == 18:
		t.answer("\x1b[8;" + itoa(t.height) + ";" + itoa(t.width) + "t")
	case final == 'c', final == 'n', final == 't' && n >= 11 && n < 22, final == 'x':
		t.answer("")
	}
}

// reportPrivate answers a control sequence with a private marker, and takes those of the keyboard protocol.
func (t *emulator) reportPrivate(final byte) {
	p := &t.parser
	switch {
	case p.prefix == '>' && final == 'c':
		t.answer("\x1b[>84;0;0c")
	case p.prefix == '>' && final == 'q':
		t.answer("\x1bP>|cupola\x1b\\")
	case p.prefix == '?' && p.intermediate == '$' && final == 'p':
		n := p.param(0, 0, 0)
		on, known := t.hasPrivate(n)
		state := 0
		if known {
			state = 2
		}
		if on {
			state = 1
		}
		t.answer("\x1b[?" + itoa(n) + ";" + itoa(state) + "$y")
	case p.prefix == '?' && final == 'u':
		t.answer("\x1b[?" + itoa(t.modes.keyFlags()) + "u")
	case final == 'u':
		t.modes.changeKeys(p.prefix, p)
	case final == 'c',
		final == 'n',
		final == 'p' && p.intermediate == '$',
		final == 'q' && p.prefix == '>',
		final == 'm' && p.prefix == '?':
		t.answer("")
	}
}

// keyFlags returns the flags of the keyboard protocol that are in force; 0 if none were pushed.
func (m *modes) keyFlags() int {
	if len(m.keys) == 0 {
		return 0
	}
	return m.keys[len(m.keys)-1]
}

// mostKeys is how many flags can be pushed.
const mostKeys = 32

// changeKeys pushes (>), pops (<) or changes (=) the flags of the keyboard protocol.
func (m *modes) changeKeys(how byte, p *parser) {
	switch how {
	case '>':
		if m.keys = append(m.keys, p.param(0, 0, 0)); len(m.keys) > mostKeys {
			m.keys = m.keys[1:]
		}
	case '<':
		m.keys = m.keys[:max(0, len(m.keys)-p.param(0, 1, 1))]
	case '=':
		flags, now := p.param(0, 0, 0), m.keyFlags()
		switch p.param(1, 1, 1) {
		case 2:
			flags |= now
		case 3:
			flags = now &^ flags
		}
		if len(m.keys) == 0 {
			m.keys = append(m.keys, 0)
		}
		m.keys[len(m.keys)-1] = flags
	}
}
