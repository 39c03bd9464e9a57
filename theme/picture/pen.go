package picture

import (
	"fmt"
	"strconv"
	"strings"
)

// pen is the look of what is written next. Empty colours are the terminal's.
type pen struct {
	front, back string
	bold, swap  bool
}

func (p pen) colours() (front, back string) {
	front, back = p.front, p.back
	if front == "" {
		front = ink
	}
	if back == "" {
		back = paper
	}
	if p.swap {
		return back, front
	}
	return front, back
}

// apply changes the pen by an SGR sequence; any other is left out.
func (p *pen) apply(seq string) {
	body, ok := strings.CutPrefix(seq, "\x1b[")
	if body, ok = cutEnd(body, ok); !ok {
		return
	}
	var codes []int
	for _, text := range strings.FieldsFunc(body, func(r rune) bool { return r == ';' || r == ':' }) {
		n, err := strconv.Atoi(text)
		if err != nil {
			return
		}
		codes = append(codes, n)
	}
	if len(codes) == 0 {
		codes = []int{0}
	}
	for len(codes) > 0 {
		codes = codes[p.code(codes):]
	}
}

func cutEnd(body string, ok bool) (string, bool) {
	if !ok {
		return "", false
	}
	return strings.CutSuffix(body, "m")
}

// code applies the first of the codes and returns how many it took.
func (p *pen) code(codes []int) int {
	switch n := codes[0]; {
	case n == 0:
		*p = pen{}
	case n == 1:
		p.bold = true
	case n == 22:
		p.bold = false
	case n == 7:
		p.swap = true
	case n == 27:
		p.swap = false
	case n >= 30 && n <= 37:
		p.front = palette[n-30]
	case n >= 90 && n <= 97:
		p.front = palette[n-90+8]
	case n >= 40 && n <= 47:
		p.back = palette[n-40]
	case n >= 100 && n <= 107:
		p.back = palette[n-100+8]
	case n == 39:
		p.front = ""
	case n == 49:
		p.back = ""
	case n == 38:
		return extended(&p.front, codes)
	case n == 48:
		return extended(&p.back, codes)
	}
	return 1
}

// extended reads 38;5;N and 38;2;R;G;B.
func extended(colour *string, codes []int) int {
	switch {
	case len(codes) >= 3 && codes[1] == 5:
		*colour = indexed(codes[2])
		return 3
	case len(codes) >= 5 && codes[1] == 2:
		*colour = fmt.Sprintf("#%02x%02x%02x", codes[2], codes[3], codes[4])
		return 5
	}
	return len(codes)
}

// indexed is one of the 256 colours: sixteen, a cube of six by six by six, and
// greys.
func indexed(n int) string {
	switch {
	case n < 0 || n > 255:
		return ""
	case n < 16:
		return palette[n]
	case n >= 232:
		grey := 8 + 10*(n-232)
		return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey)
	}
	level := func(i int) int {
		if i == 0 {
			return 0
		}
		return 55 + 40*i
	}
	n -= 16
	return fmt.Sprintf("#%02x%02x%02x", level(n/36), level(n/6%6), level(n%6))
}
