package attach

import (
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"cupola/core/term/cells"
)

// Bounds of what is kept of a sequence, in bytes, and of a title and a notification, in cells.
const (
	mostControl = 256
	mostString  = 4 << 20
	mostTitle   = 200
	mostNotice  = 500
)

// privateModes are the private modes that pass, with what they are while nothing is attached. Others never pass: some
// have the terminal report more than keys, and some cannot be undone.
var privateModes = []struct {
	n     int
	usual bool
}{
	{1, false},
	{6, false},
	{7, true},
	{9, false},
	{25, true},
	{66, false},
	{1000, false},
	{1002, false},
	{1003, false},
	{1004, false},
	{1005, false},
	{1006, false},
	{1015, false},
	{1016, false},
	{2004, false},
	{2026, false},
	{2027, false},
}

// ansiModes are the other modes that pass; all are usually off.
var ansiModes = []int{4, 20}

// restores switches the user's terminal to its usual modes, but for the keyboard protocol of kitty.
var restores = func() string {
	var b strings.Builder
	for _, mode := range privateModes {
		b.WriteString("\x1b[?" + strconv.Itoa(mode.n) + map[bool]string{true: "h", false: "l"}[mode.usual])
	}
	for _, n := range ansiModes {
		b.WriteString("\x1b[" + strconv.Itoa(n) + "l")
	}
	return b.String() + "\x1b>\x1b[>4;0m\x1b[r\x1b[0 q\x1b]8;;\x1b\\" + ansi.ResetStyle + "\x1b(B\x1b)B\x0f"
}()

// screenModes show the alternate screen or the main one.
var screenModes = []int{47, 1047, 1049}

// filter decides what of a pane's output reaches the user's terminal. Only what is listed here passes: text, styles,
// movements, and modes that can be undone. What a program sets for good in a terminal does not: the clipboard, colours
// of the palette, keys, files.
//
// All is shown on the alternate screen of the user's terminal, whichever the program is on, and the keyboard
// protocol of kitty has one entry there at most. So what was pushed can be popped where it was pushed.
type filter struct {
	// clipboard lets programs set the clipboard.
	clipboard bool

	// refused counts how often the clipboard was not set; stale is true if the screen must be drawn anew.
	refused int
	stale   bool

	passes []byte
	held   []byte
	state  filterState
	// kind begins a string, as ESC and this byte.
	kind byte
	// missing is how many bytes of a character are to come; first is its first one where it can be a control.
	missing int
	first   []byte

	// alternate is true while the program is on its alternate screen; keys are the flags that it has pushed on the main
	// and on the alternate one, flags those that the user's terminal has.
	alternate bool
	keys      [2][]int
	flags     int
	// tabs is true if tab stops were changed, progress if one is shown.
	tabs, progress bool
}

// filterState is where in a sequence the output is.
type filterState uint8

const (
	onText filterState = iota
	onEscape
	onControl
	onString
	onStringEscape
)

// begin returns what is written before a pane is shown.
func (f *filter) begin() string {
	*f = filter{clipboard: f.clipboard, refused: f.refused}
	return "\x1b[22;2t\x1b[?1049h"
}

// leave returns what gives the terminal back as it was before begin. What is undone on the alternate screen comes
// before the way back to the main one.
func (f *filter) leave() string {
	text := f.clean() + "\x1b[?1049l" + ansi.ResetStyle + "\x1b]2;\x1b\\\x1b[23;2t"
	f.begin()
	return text
}

// clean returns what undoes all that passed, but for the text.
func (f *filter) clean() string {
	text := restores
	if f.flags != 0 {
		text += "\x1b[<u"
	}
	if f.tabs {
		text += "\x1b[?5W"
	}
	if f.progress {
		text += "\x1b]9;4;0\x1b\\"
	}
	f.flags, f.tabs, f.progress = 0, false, false
	return text
}

// pass returns what of a piece of output reaches the terminal. The beginning of a sequence is held until its end
// comes.
func (f *filter) pass(piece []byte) []byte {
	f.passes = f.passes[:0]
	for _, b := range piece {
		f.take(b)
	}
	return f.passes
}

func (f *filter) write(text string) { f.passes = append(f.passes, text...) }

// take takes a byte.
func (f *filter) take(b byte) {
	switch {
	case f.state == onString || f.state == onStringEscape:
		f.takeString(b)
	case b == 0x1b:
		f.held, f.state, f.missing = append(f.held[:0], b), onEscape, 0
		f.first = f.first[:0]
	case b == 0x18 || b == 0x1a: // CAN and SUB give a sequence up
		f.state = onText
	case b < ' ': // within a sequence too
		if b != 0 && b != 5 { // ENQ asks
			f.passes = append(f.passes, b)
		}
		f.missing, f.first = 0, f.first[:0]
	case f.state == onText:
		f.takeText(b)
	case b == 0x7f:
	case b >= 0x80:
		f.state = onText
	default:
		f.takeControl(b)
	}
}

// takeText takes a byte of text. Controls of eight bits are dropped, also as characters: some terminals obey them.
func (f *filter) takeText(b byte) {
	switch {
	case f.missing > 0 && b&0xc0 == 0x80:
		f.missing--
		if len(f.first) > 0 && b < 0xa0 {
			f.first = f.first[:0]
			return
		}
	case b == 0xc2: // the first byte of U+0080 to U+00BF
		f.first, f.missing = append(f.first[:0], b), 1
		return
	case b >= 0xf0:
		f.missing = 3
	case b >= 0xe0:
		f.missing = 2
	case b >= 0xc0:
		f.missing = 1
	case b == 0x7f:
		return
	case b >= 0x80: // no character
		f.write("\ufffd")
		return
	default:
		f.missing = 0
	}
	f.passes = append(append(f.passes, f.first...), b)
	f.first = f.first[:0]
}

// takeControl takes a byte of a sequence that is no string.
func (f *filter) takeControl(b byte) {
	if len(f.held) < mostControl {
		f.held = append(f.held, b)
	}
	switch {
	case f.state == onControl:
		if b >= 0x40 {
			f.state = onText
			if len(f.held) < mostControl {
				f.control(string(f.held[2:len(f.held)-1]), b)
			}
		}
	case b < '0': // an intermediate byte
	case len(f.held) > 2:
		f.state = onText
		f.escape(string(f.held[1:]))
	case b == '[':
		f.state = onControl
	case strings.IndexByte("]P_^Xk", b) >= 0:
		f.state, f.kind, f.held = onString, b, f.held[:0]
	default:
		f.state = onText
		f.escape(string(f.held[1:]))
	}
}

// takeString takes a byte of a string.
func (f *filter) takeString(b byte) {
	switch {
	case f.state == onStringEscape && b == '\\', b == 0x07 && f.kind == ']':
		f.state = onText
		if len(f.held) < mostString {
			f.string(f.kind, string(f.held))
		}
		f.held = f.held[:0]
	case f.state == onStringEscape: // the string is given up
		f.held, f.state = append(f.held[:0], 0x1b), onEscape
		f.take(b)
	case b == 0x1b:
		f.state = onStringEscape
	case b == 0x18 || b == 0x1a:
		f.held, f.state = f.held[:0], onText
	case len(f.held) < mostString:
		f.held = append(f.held, b)
	}
}

// escape passes ESC with what follows.
func (f *filter) escape(text string) {
	switch {
	case text == "c":
		f.reset()
		return
	case text == "H":
		f.tabs = true
	case len(text) == 1 && strings.ContainsRune("78DEM=>NO", rune(text[0])), text == "#8",
		len(text) == 2 && (text[0] == '(' || text[0] == ')') && strings.ContainsRune("0AB", rune(text[1])):
	default:
		return
	}
	f.write("\x1b" + text)
}

// reset empties the screen, with nothing left of what the program has switched. A reset of the terminal itself would
// also leave the alternate screen.
func (f *filter) reset() {
	f.alternate, f.keys = false, [2][]int{}
	f.write("\x1b[!p" + f.clean() + "\x1b[H\x1b[2J")
}

// control passes a control sequence: params with prefix and intermediate bytes, and the final byte.
func (f *filter) control(params string, final byte) {
	text := "\x1b[" + params + string(final)
	prefix := ""
	if params != "" && params[0] >= '<' && params[0] <= '?' {
		prefix, params = params[:1], params[1:]
	}
	plain := strings.Trim(params, "0123456789;:") == ""
	switch {
	case !plain:
		if prefix == "" && (final == 'q' && strings.HasSuffix(params, " ") || final == 'p' && params == "!") {
			f.write(text)
		}
	case prefix == "?" && (final == 'h' || final == 'l'):
		for _, n := range numbers(params) {
			f.switchPrivate(n, final)
		}
	case final == 'u' && prefix != "":
		f.changeKeys(prefix, numbers(params))
	case prefix == "?" && (final == 'J' || final == 'K'),
		prefix == ">" && final == 'm' && strings.HasPrefix(params, "4"):
		f.write(text)
	case prefix != "":
	case final == 'h' || final == 'l':
		for _, n := range numbers(params) {
			if slices.Contains(ansiModes, n) {
				f.write("\x1b[" + strconv.Itoa(n) + string(final))
			}
		}
	case final == 'J' && numbers(params)[0] > 2: // what scrolled off in the user's terminal is the user's
	case final == 'T' && strings.Contains(params, ";"): // a kind of mouse
	case strings.IndexByte("@ABCDEFGHIJKLMPSTXZ`abdefgmrsu", final) >= 0:
		f.tabs = f.tabs || final == 'g'
		f.write(text)
	}
}

// numbers are the parameters of a sequence, one at least; a missing one is 0.
func numbers(params string) []int {
	var all []int
	for part := range strings.SplitSeq(params, ";") {
		part, _, _ = strings.Cut(part, ":")
		n, _ := strconv.Atoi(part) // what is too large is no mode
		all = append(all, n)
	}
	return all
}

// switchPrivate switches a private mode.
func (f *filter) switchPrivate(n int, how byte) {
	switch {
	case slices.Contains(screenModes, n):
		f.showAlternate(how == 'h')
	case n == 1048 && how == 'h':
		f.write("\x1b7")
	case n == 1048:
		f.write("\x1b8")
	default:
		for _, mode := range privateModes {
			if mode.n == n {
				f.write("\x1b[?" + strconv.Itoa(n) + string(how))
			}
		}
	}
}

// showAlternate follows the program to its other screen. The alternate one is empty at first; what the main one
// shows is drawn anew.
func (f *filter) showAlternate(on bool) {
	if f.alternate == on {
		return
	}
	f.alternate = on
	if on {
		f.write("\x1b7" + ansi.ResetStyle + "\x1b[2J\x1b8")
	} else {
		f.stale = true
	}
	f.showKeys()
}

// mostKeys is how many flags can be pushed.
const mostKeys = 32

// changeKeys pushes (>), pops (<) or changes (=) the flags of the keyboard protocol of kitty. A question (?) is
// answered by the server.
func (f *filter) changeKeys(how string, params []int) {
	stack := &f.keys[0]
	if f.alternate {
		stack = &f.keys[1]
	}
	switch how {
	case ">":
		if *stack = append(*stack, params[0]); len(*stack) > mostKeys {
			*stack = (*stack)[1:]
		}
	case "<":
		*stack = (*stack)[:max(0, len(*stack)-max(1, params[0]))]
	case "=":
		if len(*stack) == 0 {
			*stack = append(*stack, 0)
		}
		flags, top := params[0], &(*stack)[len(*stack)-1]
		switch append(params, 1)[1] {
		case 2:
			flags |= *top
		case 3:
			flags = *top &^ flags
		}
		*top = flags
	}
	f.showKeys()
}

// showKeys gives the user's terminal the flags of the screen that the program is on. Each push there has its pop.
func (f *filter) showKeys() {
	stack, flags := f.keys[0], 0
	if f.alternate {
		stack = f.keys[1]
	}
	if len(stack) > 0 {
		flags = stack[len(stack)-1]
	}
	if flags == f.flags {
		return
	}
	if f.flags != 0 {
		f.write("\x1b[<u")
	}
	if flags != 0 {
		f.write("\x1b[>" + strconv.Itoa(flags) + "u")
	}
	f.flags = flags
}

// string passes a string: a title, a link, a notification, progress, and pictures that are sent whole.
func (f *filter) string(kind byte, text string) {
	picture := kind == 'P' && isSixel(text) || kind == '_' && isDirectPicture(text)
	switch {
	case kind == ']':
		f.command(text)
	case picture && isPrintable(text):
		f.write("\x1b" + string(kind) + text + "\x1b\\")
	}
}

// command passes an operating system command.
func (f *filter) command(text string) {
	number, rest, _ := strings.Cut(text, ";")
	switch number {
	case "0", "2":
		f.write("\x1b]2;" + cells.Cut(cells.Clean(rest), mostTitle, "…") + "\x1b\\")
	case "8":
		if isPrintable(rest) && len(rest) < mostControl*8 {
			f.write("\x1b]" + text + "\x1b\\")
		}
	case "9":
		if progress, is := strings.CutPrefix(rest, "4;"); is && strings.Trim(progress, "0123456789;") == "" {
			f.progress = true
			f.write("\x1b]" + text + "\x1b\\")
		} else if digits, _, _ := strings.Cut(rest, ";"); strings.Trim(digits, "0123456789") != "" {
			// What begins with a number runs programs in ConEmu.
			f.write("\x1b]9;" + cells.Cut(cells.Clean(rest), mostNotice, "…") + "\x1b\\")
		}
	case "777":
		if said, is := strings.CutPrefix(rest, "notify;"); is { // other words call extensions of urxvt
			f.write("\x1b]777;notify;" + cells.Cut(cells.Clean(said), mostNotice, "…") + "\x1b\\")
		}
	case "99":
		about, said, _ := strings.Cut(rest, ";")
		if isNotice(about) && isPrintable(about) {
			f.write("\x1b]99;" + about + ";" + cells.Cut(cells.Clean(said), mostNotice, "…") + "\x1b\\")
		}
	case "52":
		where, content, _ := strings.Cut(rest, ";")
		switch {
		case !f.clipboard:
			f.refused++
		case isPrintable(where) && isPrintable(content) && content != "?":
			f.write("\x1b]" + text + "\x1b\\")
		}
	case "1337", "5522": // clipboards of iTerm2 and kitty
		if strings.HasPrefix(rest, "Copy") || number == "5522" {
			f.refused++
		}
	}
}

// isNotice reports whether metadata of a notification of kitty have it shown and nothing else.
func isNotice(about string) bool {
	for one := range strings.SplitSeq(about, ":") {
		key, value, _ := strings.Cut(one, "=")
		switch key {
		case "", "i", "d", "e", "o", "u":
		case "p":
			if value != "title" && value != "body" {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// isSixel reports whether a device control string is a picture.
func isSixel(text string) bool {
	return strings.HasPrefix(strings.TrimLeft(text, "0123456789;"), "q")
}

// isDirectPicture reports whether an application command is a picture of kitty that comes with its data, not as the
// name of a file.
func isDirectPicture(text string) bool {
	about, _, _ := strings.Cut(text, ";")
	control, is := strings.CutPrefix(about, "G")
	for one := range strings.SplitSeq(control, ",") {
		if key, value, _ := strings.Cut(one, "="); key == "t" && value != "d" {
			return false
		}
	}
	return is
}

// isPrintable reports whether a text has no controls.
func isPrintable(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 || r == 0xfffd }) < 0
}
