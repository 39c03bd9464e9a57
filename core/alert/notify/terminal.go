package notify

import (
	"io"
	"strings"

	"cupola/core/term/cells"
)

// Terminal notifies by the user's terminal. The zero value does not.
type Terminal struct {
	// Out is the terminal; nil is none.
	Out io.Writer
	// Bell rings its bell. Sequence shows a notification; empty shows none.
	Bell     bool
	Sequence Sequence
	// InTmux is true where tmux lies between.
	InTmux bool
}

// notify rings and shows what is selected, in one write, so that nothing else that is drawn comes between.
func (t Terminal) notify(title, body string) error {
	var text string
	if t.Sequence != "" {
		text = t.Sequence.text(title, body)
		if t.InTmux {
			text = through(text)
		}
	}
	if t.Bell {
		text += "\a"
	}
	if t.Out == nil || text == "" {
		return nil
	}
	_, err := io.WriteString(t.Out, text)
	return err
}

// Sequence is the escape sequence by which a terminal shows a notification of the desktop.
type Sequence string

const (
	// OSC9 has the text alone: iTerm2, and most others.
	OSC9 Sequence = "9"
	// OSC99 is kitty's desktop notification protocol.
	OSC99 Sequence = "99"
	// OSC777 has a title and a text: rxvt-unicode, foot, terminals of VTE.
	OSC777 Sequence = "777"
)

// mostTerminal is the most characters of a notification by the terminal; longer ones are cut.
const mostTerminal = 240

// SequenceOf returns the sequence that the terminal of an environment shows. Within tmux the variables of the terminal
// around it count, where tmux has left them.
func SequenceOf(getenv func(string) string) Sequence {
	term := getenv("TERM")
	switch {
	case getenv("KITTY_WINDOW_ID") != "" || strings.Contains(term, "kitty"):
		return OSC99
	case getenv("VTE_VERSION") != "" || strings.HasPrefix(term, "foot") || strings.HasPrefix(term, "rxvt"):
		return OSC777
	}
	return OSC9
}

// text returns the bytes that show a notification. Control characters of the title and the body are left out, so that
// nothing that an agent asks ends the sequence.
func (s Sequence) text(title, body string) string {
	plain := func(text string) string {
		return bounded(strings.ReplaceAll(cells.Clean(text), ";", ","), mostTerminal)
	}
	title, body = plain(title), plain(body)
	switch s {
	case OSC99:
		return "\x1b]99;i=cupola:d=0;" + title + "\x1b\\\x1b]99;i=cupola:p=body;" + body + "\x1b\\"
	case OSC777:
		return "\x1b]777;notify;" + title + ";" + body + "\x1b\\"
	}
	return "\x1b]9;" + title + ": " + body + "\x1b\\"
}

// through wraps a sequence so that tmux hands it to the terminal around it, which its option allow-passthrough permits.
func through(sequence string) string {
	return "\x1bPtmux;" + strings.ReplaceAll(sequence, "\x1b", "\x1b\x1b") + "\x1b\\"
}
