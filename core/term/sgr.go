package term

// sgr changes the pen.
func (t *emulator) sgr() {
	p := &t.parser
	if len(p.params) == 0 {
		t.pen = pen{}
		return
	}
	for i := 0; i < len(p.params); {
		end := i + 1
		for end < len(p.params) && p.colon[end] {
			end++
		}
		n := p.param(i, 0, 0)
		switch {
		case n == 38 || n == 48 || n == 58:
			i = t.colour(n, i, end)
			continue
		case n == 4 && end > i+1:
			t.underline(p.param(i+1, 1, 0))
		default:
			t.style(n)
		}
		i = end
	}
}

func (t *emulator) underline(style int) {
	if style > 5 {
		style = 1
	}
	t.pen.attr = t.pen.attr&^underlineBits | attr(style)<<underlineShift //nolint:gosec // it is at most 5
}

// style is a parameter of SGR without others that belong to it.
func (t *emulator) style(n int) {
	p := &t.pen
	switch {
	case n == 0:
		*p = pen{}
	case n == 1:
		p.attr |= bold
	case n == 2:
		p.attr |= dim
	case n == 3:
		p.attr |= italic
	case n == 4:
		t.underline(1)
	case n == 5, n == 6:
		p.attr |= blink
	case n == 7:
		p.attr |= reverse
	case n == 8:
		p.attr |= hidden
	case n == 9:
		p.attr |= strike
	case n == 21:
		t.underline(2)
	case n == 22:
		p.attr &^= bold | dim
	case n == 23:
		p.attr &^= italic
	case n == 24:
		t.underline(0)
	case n == 25:
		p.attr &^= blink
	case n == 27:
		p.attr &^= reverse
	case n == 28:
		p.attr &^= hidden
	case n == 29:
		p.attr &^= strike
	case n == 53:
		p.attr |= overline
	case n == 59:
		p.attr &^= lineBits
	case n == 55:
		p.attr &^= overline
	case n >= 30 && n <= 37:
		p.fg = basic | colour(n-30) //nolint:gosec // it is small
	case n == 39:
		p.fg = own
	case n >= 40 && n <= 47:
		p.bg = basic | colour(n-40) //nolint:gosec // it is small
	case n == 49:
		p.bg = own
	case n >= 90 && n <= 97:
		p.fg = basic | colour(n-90+8) //nolint:gosec // it is small
	case n >= 100 && n <= 107:
		p.bg = basic | colour(n-100+8) //nolint:gosec // it is small
	}
}

// colour reads the colour behind a 38, 48 or 58 at i, whose parts up to end are parted by colons. It returns where the
// next parameter is.
func (t *emulator) colour(what, i, end int) int {
	p := &t.parser
	next := end
	if end == i+1 { // parted by semicolons
		switch p.param(i+1, -1, 0) {
		case 5:
			next = i + 3
		case 2:
			next = i + 5
		default:
			return i + 2
		}
	}
	next = min(next, len(p.params))
	parts := make([]int, 0, 6)
	for at := i + 1; at < next; at++ {
		parts = append(parts, p.param(at, -1, 0))
	}
	chosen, ok := colourOf(parts)
	if !ok {
		return next
	}
	switch what {
	case 38:
		t.pen.fg = chosen
	case 48:
		t.pen.bg = chosen
	case 58:
		t.pen.attr = t.pen.attr&^lineBits | t.lineColours.number(chosen)<<lineShift
	}
	return next
}

// colourOf reads 5;N, 2;R;G;B or, with a colour space, 2;;R;G;B.
func colourOf(parts []int) (colour, bool) {
	switch {
	case len(parts) >= 2 && parts[0] == 5:
		return indexed | colour(
				min(255, max(0, parts[1])),
			), parts[1] >= 0 &&
				parts[1] <= 255 //nolint:gosec // as checked
	case len(parts) >= 5 && parts[0] == 2:
		parts = append([]int{2}, parts[len(parts)-3:]...)
	case len(parts) != 4 || parts[0] != 2:
		return own, false
	}
	rgb := direct
	for i, shift := range []int{16, 8, 0} {
		if parts[i+1] < 0 || parts[i+1] > 255 {
			return own, false
		}
		rgb |= colour(parts[i+1]) << shift //nolint:gosec // as checked
	}
	return rgb, true
}
