package term

import "unicode/utf8"

// state is the position of the parser within a sequence. The states are named as in the parser for DEC terminals that
// Paul Williams described (https://vt100.net/emu/dec_ansi_parser).
type state uint8

const (
	ground state = iota
	escape
	escapeIntermediate
	csiEntry
	csiParam
	csiIntermediate
	csiIgnore
	// text is within OSC, DCS, APC, PM, SOS or a title, up to its end.
	text
	// textEscape is after an ESC there.
	textEscape
)

const (
	// mostParams is how many parameters a sequence can have, mostText how long a string of it may be, in bytes.
	mostParams = 32
	mostText   = 1 << 20
)

// parser reads sequences.
type parser struct {
	state state
	// params are the parameters of a control sequence; missing ones are -1. colon marks the ones that a colon precedes.
	params []int
	colon  []bool
	// prefix is the private marker (? > = <), intermediate the byte before the final one; 0 for none.
	prefix, intermediate byte
	// kind begins a string: ']' for OSC, 'P' for DCS, '_' for APC, '^' for PM, 'X' for SOS, 'k' for a title.
	kind byte
	str  []byte
	// partial is the beginning of a character whose other bytes are missing.
	partial [utf8.UTFMax]byte
	partly  int
}

// write takes bytes of the program.
func (t *emulator) write(p []byte) {
	for at := 0; at < len(p); {
		began := at
		if t.parser.state == ground {
			at += t.writeGround(p[at:])
		} else {
			t.advance(p[at])
			at++
		}
		if t.passed != nil {
			t.pass(p[began:at])
		}
	}
	if len(t.relay.passes) > 0 {
		t.passed(t.relay.passes)
		t.relay.passes = nil
	}
}

// relay collects the bytes for another terminal that shows the same screen.
type relay struct {
	// held are the bytes of a sequence that has not ended; asked is true if it is a question, which that terminal must
	// not answer too.
	held  []byte
	asked bool
	// passes are the bytes to pass next.
	passes []byte
}

// within reports whether the parser is within a sequence or a character.
func (p *parser) within() bool { return p.state != ground || p.partly > 0 }

// mostHeld is how much of a sequence is held back, in bytes. A longer one, such as a picture, is no question.
const mostHeld = 64 << 10

// pass gives bytes to another terminal, once the sequence that they are part of is known.
func (t *emulator) pass(p []byte) {
	r := &t.relay
	r.held = append(r.held, p...)
	if t.parser.within() && len(r.held) < mostHeld {
		return
	}
	if !r.asked {
		r.passes = append(r.passes, r.held...)
	}
	r.held, r.asked = r.held[:0], false
}

// writeGround takes text and single controls, and returns how many bytes it took.
func (t *emulator) writeGround(p []byte) int {
	if t.parser.partly == 0 {
		n := 0
		for n < len(p) && p[n] >= ' ' && p[n] < 0x7f {
			n++
		}
		if n > 0 {
			t.putASCII(p[:n])
			return n
		}
	}
	b := p[0]
	switch {
	case t.parser.partly > 0 || b >= 0x80:
		return t.writeUTF8(p)
	case b == 0x1b:
		t.begin(escape)
	default:
		t.control(b)
	}
	return 1
}

// writeUTF8 takes the bytes of one character that is not ASCII. One that is no character shows as U+FFFD.
func (t *emulator) writeUTF8(p []byte) int {
	q := &t.parser
	if q.partly == 0 && utf8.FullRune(p) {
		r, size := utf8.DecodeRune(p)
		t.put(r)
		return size
	}
	if q.partly > 0 && p[0]&0xc0 != 0x80 { // the character that began is not continued
		q.partly = 0
		t.put(utf8.RuneError)
		return 0
	}
	q.partial[q.partly] = p[0]
	q.partly++
	if utf8.FullRune(q.partial[:q.partly]) {
		r, size := utf8.DecodeRune(q.partial[:q.partly])
		q.partly = 0
		t.put(r)
		if r == utf8.RuneError && size == 1 {
			return 1
		}
	}
	return 1
}

// begin enters a state with nothing collected.
func (t *emulator) begin(next state) {
	p := &t.parser
	p.state, p.prefix, p.intermediate = next, 0, 0
	p.params, p.colon, p.str = p.params[:0], p.colon[:0], p.str[:0]
}

// advance takes a byte within a sequence.
func (t *emulator) advance(b byte) {
	p := &t.parser
	switch {
	case p.state == text || p.state == textEscape:
		t.advanceText(b)
		return
	case b == 0x18 || b == 0x1a: // CAN and SUB give a sequence up
		p.state = ground
		return
	case b == 0x1b:
		t.begin(escape)
		return
	case b < ' ':
		t.control(b)
		return
	case b == 0x7f || b >= 0x80 && p.state != csiIgnore:
		if b >= 0x80 {
			p.state = ground
		}
		return
	}
	switch p.state {
	case escape, escapeIntermediate:
		t.advanceEscape(b)
	default:
		t.advanceControl(b)
	}
}

func (t *emulator) advanceEscape(b byte) {
	p := &t.parser
	switch {
	case b < '0':
		p.intermediate, p.state = b, escapeIntermediate
	case p.state == escapeIntermediate:
		p.state = ground
		t.escapeWith(p.intermediate, b)
	case b == '[':
		t.begin(csiEntry)
	case b == ']' || b == 'P' || b == '_' || b == '^' || b == 'X' || b == 'k':
		t.begin(text)
		p.kind = b
	default:
		p.state = ground
		t.escape(b)
	}
}

func (t *emulator) advanceControl(b byte) {
	p := &t.parser
	switch {
	case b >= 0x40:
		ignored := p.state == csiIgnore
		p.state = ground
		if !ignored {
			t.dispatch(b)
		}
	case p.state == csiIgnore:
	case b >= '<' && b <= '?' && p.state == csiEntry:
		p.prefix, p.state = b, csiParam
	case b >= '<' && b <= '?' || p.state == csiIntermediate && b >= '0':
		p.state = csiIgnore
	case b < '0':
		p.intermediate, p.state = b, csiIntermediate
	case b == ';' || b == ':':
		if len(p.params) == 0 {
			p.addParam(false)
		}
		p.addParam(b == ':')
		p.state = csiParam
	default:
		if len(p.params) == 0 {
			p.addParam(false)
		}
		const most = 1 << 16
		last := &p.params[len(p.params)-1]
		*last = min(max(0, *last)*10+int(b-'0'), most)
		p.state = csiParam
	}
}

// addParam begins another parameter. Those that are too many go into the last one.
func (p *parser) addParam(colon bool) {
	if len(p.params) < mostParams {
		p.params, p.colon = append(p.params, -1), append(p.colon, colon)
	}
}

// param returns a parameter; missing is for one that is missing, least for one that is less.
func (p *parser) param(i, missing, least int) int {
	if i >= len(p.params) || p.params[i] < 0 {
		return missing
	}
	return max(least, p.params[i])
}

func (t *emulator) advanceText(b byte) {
	p := &t.parser
	switch {
	case p.state == textEscape && b == '\\', b == 0x07 && p.kind == ']':
		p.state = ground
		t.takeString(p.kind, p.str)
	case p.state == textEscape: // the string is given up
		t.begin(escape)
		t.advance(b)
	case b == 0x1b:
		p.state = textEscape
	case b == 0x18 || b == 0x1a:
		p.state = ground
	case len(p.str) < mostText:
		p.str = append(p.str, b)
	}
}
