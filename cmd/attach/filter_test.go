package attach

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// outer is the user's terminal as far as a program can change it: what is on, by name, and the flags of the keyboard
// protocol of kitty on the main and the alternate screen, which have a stack each.
type outer struct {
	on        map[string]string
	keys      [2][]int
	alternate bool
	titles    []string
	clipboard string
	// strange are sequences that no program's output may lead to.
	strange []string
}

// newOuter is a terminal on whose main screen another program has pushed flags.
func newOuter() *outer {
	return &outer{on: map[string]string{"title": "mine", "?7": "on", "?25": "on"}, keys: [2][]int{{7}, nil}}
}

func (o *outer) set(name string, on bool) {
	if on {
		o.on[name] = "on"
	} else {
		delete(o.on, name)
	}
}

// write obeys sequences as a terminal does that knows all of them.
func (o *outer) write(text string) {
	for state := byte(0); text != ""; {
		sequence, _, n, next := ansi.DecodeSequence(text, state, nil)
		state, text = next, text[n:]
		if !strings.HasPrefix(sequence, "\x1b") {
			continue
		}
		switch rest := sequence[1:]; rest[0] {
		case '[':
			o.control(rest[1:len(rest)-1], rest[len(rest)-1])
		case ']':
			o.command(strings.TrimRight(strings.TrimSuffix(rest[1:], "\x1b\\"), "\a"))
		case '=', '>':
			o.set("keypad", rest[0] == '=')
		case 'H':
			o.set("tabs", true)
		case 'c', 'P', '_', '^', 'X', 'k', '%', ' ':
			if !strings.HasPrefix(rest, "_G") || strings.Contains(rest, "t=f") { // a picture
				o.strange = append(o.strange, sequence)
			}
		}
	}
}

func (o *outer) control(params string, final byte) {
	numbers := func(text string) (all []int) {
		for part := range strings.SplitSeq(text, ";") {
			n, _ := strconv.Atoi(part)
			all = append(all, n)
		}
		return all
	}
	stack := &o.keys[0]
	if o.alternate {
		stack = &o.keys[1]
	}
	private, isPrivate := strings.CutPrefix(params, "?")
	switch {
	case final == 'h' || final == 'l':
		for _, n := range numbers(private) {
			switch {
			case isPrivate && (n == 47 || n == 1047 || n == 1049):
				o.alternate = final == 'h'
			case isPrivate:
				o.set("?"+strconv.Itoa(n), final == 'h')
			default:
				o.set(strconv.Itoa(n), final == 'h')
			}
		}
	case final == 'u' && strings.HasPrefix(params, ">"):
		*stack = append(*stack, numbers(params[1:])[0])
	case final == 'u' && strings.HasPrefix(params, "<"):
		*stack = (*stack)[:max(0, len(*stack)-max(1, numbers(params[1:])[0]))]
	case final == 'm' && strings.HasPrefix(params, ">"):
		o.set("keys of xterm", params != ">4;0")
	case final == 'q' && strings.HasSuffix(params, " "):
		o.set("cursor", params != "0 ")
	case final == 'p' && params == "!":
		o.on["?7"], o.on["?25"] = "on", "on"
	case final == 'g':
		o.set("tabs", true)
	case final == 'W' && params == "?5":
		o.set("tabs", false)
	case final == 'r' && !isPrivate:
		o.set("region", params != "")
	case final == 't' && params == "22;2":
		o.titles = append(o.titles, o.on["title"])
	case final == 't' && params == "23;2" && len(o.titles) > 0:
		o.on["title"], o.titles = o.titles[len(o.titles)-1], o.titles[:len(o.titles)-1]
	case final == 'm':
		o.set("style", params != "" && params != "0")
	case strings.IndexByte("@ABCDEFGHIJKLMPSTXZ`abdefsu", final) < 0 || params == "3" && final == 'J':
		o.strange = append(o.strange, params+string(final))
	}
}

func (o *outer) command(text string) {
	number, rest, _ := strings.Cut(text, ";")
	switch number {
	case "2":
		o.on["title"] = rest
	case "8":
		o.set("link", rest != ";")
	case "9":
		if strings.HasPrefix(rest, "4;") {
			o.set("progress", rest != "4;0")
		}
	case "52":
		o.clipboard = rest
	case "99", "777":
	default:
		o.strange = append(o.strange, text)
	}
}

// differs is how a terminal is other than before; empty if it is as it was.
func (o *outer) differs() string {
	before := newOuter()
	if maps.Equal(o.on, before.on) && slices.EqualFunc(o.keys[:], before.keys[:], slices.Equal) && !o.alternate &&
		len(o.titles) == 0 && o.clipboard == "" && len(o.strange) == 0 {
		return ""
	}
	return fmt.Sprintf("%+v", *o)
}

// attached is the state of a terminal after a pane's output was shown in it, in pieces of a size.
func attached(output string, size int) *outer {
	o, f := newOuter(), &filter{}
	o.write(f.begin())
	for piece := range slices.Chunk([]byte(output), size) {
		o.write(string(f.pass(piece)))
	}
	o.write(f.leave())
	return o
}

func TestAttachGivesTheTerminalBackAfterWhateverAProgramSwitches(t *testing.T) {
	t.Parallel()
	programs := map[string]string{
		"kitty's keys":                  "\x1b[?1049h\x1b[>5u",
		"kitty's keys, twice":           "\x1b[>1u\x1b[?1049h\x1b[>5u\x1b[>7u\x1b[=3;2u",
		"kitty's keys on another":       "\x1b[?1049h\x1b[>5u\x1b[?1049l\x1b[>1u",
		"kitty's keys, popped too much": "\x1b[>5u\x1b[<99u\x1b[<99u",
		"a reset":                       "\x1b[?1003h\x1b[>5u\x1bc",
		"the main screen":               "\x1b[?1049h\x1b[?1049l\x1b[?47l\x1b[?1047l",
		"a title, and its stack":        "\x1b]0;evil\x1b\\\x1b[22;0t\x1b[23;0t\x1b[21t\x1bkname\x1b\\",
		"a link":                        "\x1b]8;;http://localhost\x1b\\text",
		"progress":                      "\x1b]9;4;1;50\x07",
		"tab stops":                     "\x1b[3g\x1b[7G\x1bH",
		"styles, keypad, cursor":        "\x1b[1;31m\x1b=\x1b[5 q\x1b[2;5r\x1b[>4;2m\x0e\x1b)0",
		"colours of the palette":        "\x1b]4;1;#000000\x07\x1b]10;#ffffff\x07\x1b]104\x07\x1b]P1ff0000",
		"clipboards":                    "\x1b]52;c;ZXZpbA==\x07\x1b]5522;type=write\x07\x1b]1337;Copy=:ZXZpbA==\x07",
		"clipboards in a passage":       "\x1bPtmux;\x1b\x1b]52;c;ZXZpbA==\x07\x1b\\\x1bP\x1b]52;c;ZQ==\x07\x1b\\",
		"clipboards of eight bits":      "\x9d52;c;ZXZpbA==\x9c\xc2\x9d52;c;ZXZpbA==\xc2\x9c",
		"programs of ConEmu": "\x1b]9;7;calc\x07\x1b]9;6;Macro\x07\x1b]777;ext;x\x07" +
			"\x1b]1337;File=:eA==\x07",
		"keys, printers and size":  "\x1bP1;1|17/68656c6c6f\x1b\\\x1b[5i\x1b[4i\x1b[8;5;5t\x1b[3J\x1b%@\x1b F",
		"a picture that is a file": "\x1b_Ga=T,t=f;L2V0Yy9wYXNzd2Q=\x1b\\",
		"what is not ended":        "\x1b[?1049h\x1b[>5u\x1b]52;c;",
		"saved modes":              "\x1b[?1000;1006h\x1b[?1000s\x1b[?1000r",
	}
	for n := range 10_000 {
		programs[fmt.Sprintf("private mode %d", n)] = fmt.Sprintf("\x1b[?%dh", n)
		programs[fmt.Sprintf("private mode %d off", n)] = fmt.Sprintf("\x1b[?%dl", n)
		programs[fmt.Sprintf("mode %d", n%100)] = fmt.Sprintf("\x1b[%dh", n%100)
	}
	for final := byte(0x40); final < 0x7f; final++ {
		for _, params := range []string{"", "1", "5", "22;2", "?1", ">1", "=1", "<1", "1$", "1 ", "1'", "!", "?1$"} {
			if final == 'h' || final == 'l' || final == 'u' {
				continue
			}
			name := "\x1b[" + params + string(final)
			programs[fmt.Sprintf("%q", name)] = name
		}
		name := "\x1b" + string(final)
		programs[fmt.Sprintf("%q", name)] = name
	}
	for n := range 10_000 {
		programs[fmt.Sprintf("command %d", n)] = fmt.Sprintf("\x1b]%d;0;eA==\x07", n)
	}
	for name, output := range programs {
		for _, size := range []int{1, 1 << 16} {
			if differs := attached(output, size).differs(); differs != "" {
				t.Errorf("%s, in pieces of %d bytes: %s", name, size, differs)
			}
		}
	}
	if len(programs) < 30_000 {
		t.Errorf("only %d programs were tried", len(programs))
	}
}

func TestAttachGivesTheTerminalBackAfterAnyOutput(t *testing.T) {
	t.Parallel()
	parts := []string{
		"\x1b", "[", "?", "1049", "1000", "h", "l", "u", ">", "<", "5", ";", "]", "52", "2", "c", "\a", "\\", "P", "_G",
		"text",
		"\xc2", "\x9b", "é", "\x18", "m", "\x1b[>1u", "\x1b[?1049h", "\x1b[?1049l", "\x1bc", "\x1b]2;t\x07",
		"t", " q", "!p",
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var b strings.Builder
		for range 1 + random.IntN(30) {
			b.WriteString(parts[random.IntN(len(parts))])
		}
		if differs := attached(b.String(), 1+random.IntN(20)).differs(); differs != "" {
			t.Fatalf("%q: %s", b.String(), differs)
		}
	}
}

func TestWhatATerminalShowsPasses(t *testing.T) {
	t.Parallel()
	for _, output := range []string{
		"text é 日本 👩‍👩‍👧 \r\n\t\b\a",
		"\x1b[1;38;2;1;2;3m\x1b[4:3m\x1b[2;5H\x1b[K\x1b[J\x1b[2J\x1b[5X\x1b[2;9r\x1bM\x1b7\x1b8",
		"\x1b[?1003h", "\x1b[?1006h", "\x1b[?2004h", "\x1b[?25l", "\x1b]8;id=1;http://localhost/\x1b\\",
		"\x1b[>4;2m", "\x1b[5 q",
		"\x1b]9;build done\x1b\\", "\x1b]777;notify;cupola;done\x1b\\", "\x1b]99;i=1:d=0;done\x1b\\",
		"\x1bPq#0;2;0;0;0~\x1b\\",
		"\x1b_Ga=T,f=100;iVBOR\x1b\\", "\u00a0\u00e9\u00bf", "\x1b(0lqk\x1b(B\x0e\x0f", "\x1b[>7u",
	} {
		f := &filter{}
		f.begin()
		if got := string(f.pass([]byte(output))); got != output {
			t.Errorf("%q passes as %q", output, got)
		}
	}
}

func TestAProgramSetsTheClipboardWhereTheUserLetsIt(t *testing.T) {
	t.Parallel()
	const sets = "\x1b]52;c;aGk=\x1b\\"
	allowed, refused := &filter{clipboard: true}, &filter{}
	if got := string(allowed.pass([]byte(sets))); got != sets || allowed.refused != 0 {
		t.Errorf("allowed, it passes as %q", got)
	}
	if got := string(refused.pass([]byte(sets))); got != "" || refused.refused != 1 {
		t.Errorf("refused, it passes as %q", got)
	}
	if got := string(allowed.pass([]byte("\x1b]52;c;?\x07"))); got != "" {
		t.Errorf("what is on the clipboard is asked: %q", got)
	}
}

func TestATitleIsCleanAndShort(t *testing.T) {
	t.Parallel()
	f := &filter{}
	got := string(f.pass([]byte("\x1b]0;a\x01b\u202e\u009dc" + strings.Repeat("x", 5000) + "\x07")))
	if len(got) > 2*mostTitle || strings.ContainsAny(got, "\x01\u202e\u009d") || !strings.HasPrefix(got, "\x1b]2;a") {
		t.Errorf("%q", got)
	}
}
