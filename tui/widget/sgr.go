package widget

// maxCodes bounds how many numbers of one sequence are heeded.
const maxCodes = 32

// code is one number of a sequence; joined is true for what follows a colon and
// so belongs to the number before.
type code struct {
	value  int32
	joined bool
}

// sgr applies the parameters of a sequence that ends in "m" to the pen. Whatever
// it does not know it leaves out.
func (p *pen) sgr(params string) {
	var space [maxCodes]code
	codes, ok := numbers(space[:0], params)
	if !ok {
		return
	}
	for i := 0; i < len(codes); {
		group := i + 1
		for group < len(codes) && codes[group].joined {
			group++
		}
		switch value := codes[i].value; value {
		case 38, 48, 58:
			c, used := extended(codes[i+1:], group-i-1)
			if used < 0 {
				return
			}
			if c != 0 {
				p.ground(value, c)
			}
			i += 1 + used
		default:
			p.set(value, codes[i+1:group])
			i = group
		}
	}
}

func (p *pen) ground(layer int32, c colour) {
	switch layer {
	case 38:
		p.front = c
	case 48:
		p.back = c
	default:
		p.line = c
	}
}

// numbers reads "1;38:5:3"; ok is false where something else is in it.
func numbers(codes []code, params string) (_ []code, ok bool) {
	value, joined := int32(0), false
	for i := 0; i <= len(params); i++ {
		if i < len(params) && params[i] >= '0' && params[i] <= '9' {
			value = min(value*10+int32(params[i]-'0'), 1<<16)
			continue
		}
		if i < len(params) && params[i] != ';' && params[i] != ':' {
			return nil, false
		}
		if len(codes) == maxCodes {
			break
		}
		codes = append(codes, code{value, joined})
		value, joined = 0, i < len(params) && params[i] == ':'
	}
	return codes, true
}

// extended reads a colour after 38, 48 or 58, of which joined numbers belong to
// it by colons. It returns 0 for a colour that there is not, and how many
// numbers it took; -1 where the rest cannot be understood.
func extended(codes []code, joined int) (c colour, used int) {
	at := func(i int) uint32 { return uint32(codes[i].value) }
	byColons := joined > 0
	if !byColons {
		joined = len(codes)
	}
	switch {
	case joined >= 2 && at(0) == 5:
		if used = 2; byColons {
			used = joined
		}
		if at(1) > 255 {
			return 0, used
		}
		return indexed | colour(at(1)), used
	case joined >= 4 && at(0) == 2:
		first := 1
		if used = 4; byColons {
			// With colons a colour space may stand before the three values.
			if used = joined; joined >= 5 {
				first = 2
			}
		}
		r, g, b := at(first), at(first+1), at(first+2)
		if max(r, g, b) > 255 {
			return 0, used
		}
		return rgb | colour(r<<16|g<<8|b), used
	case byColons:
		return 0, joined
	}
	return 0, -1
}

// set applies one number; more holds those joined to it by colons.
func (p *pen) set(value int32, more []code) {
	switch {
	case value == 0:
		*p = pen{attrs: p.attrs & shifted}
	case value == 4:
		p.underlined(more)
	case value == 21:
		p.attrs = p.attrs&^underlineMask | 2<<underlineShift
	case int(value) < len(attrOn) && attrOn[value] != 0:
		p.attrs |= attrOn[value]
	case int(value) < len(attrOff) && attrOff[value] != 0:
		p.attrs &^= attrOff[value]
	case value >= 30 && value <= 37:
		p.front = indexed | colour(value-30)
	case value >= 40 && value <= 47:
		p.back = indexed | colour(value-40)
	case value >= 90 && value <= 97:
		p.front = indexed | colour(value-90+8)
	case value >= 100 && value <= 107:
		p.back = indexed | colour(value-100+8)
	case value == 39:
		p.front = 0
	case value == 49:
		p.back = 0
	case value == 59:
		p.line = 0
	}
}

func (p *pen) underlined(more []code) {
	style := attrs(1)
	if len(more) > 0 {
		style = attrs(more[0].value)
	}
	if style <= 5 {
		p.attrs = p.attrs&^underlineMask | style<<underlineShift
	}
}

var attrOn = [...]attrs{1: bold, 2: faint, 3: italic, 7: reverse, 8: conceal, 9: strike, 53: overline}

var attrOff = [...]attrs{22: bold | faint, 23: italic, 24: underlineMask, 27: reverse, 28: conceal, 29: strike, 55: overline}
