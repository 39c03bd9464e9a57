package render

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

// words are keys and strings in which an encoder could go wrong.
var words = []string{
	"a", "b", "c", "name", "state", "_x", "a.b", "A9", "", " ", "a b", " a", "a ", "-", "-a", "- a", "#", "#a", "a-b",
	"a:b", ":", `"`, `\`, `a"b\`, "[", "]", "[1]", "[1]: x", "{a}", "{", "}", ",", "a,b", "|", "a|b", "\t", "a\tb",
	"\n", "a\r\nb", "\x00", "\x1b[31m", "\x7f", "\u0085", "\u00a0", "\u2028", "\ufeff", "é", "日本", "😀 x", "true",
	"false", "null", "True", "NaN", "1.", ".5", "+1", "-1", "007", "1e5", "-0", "0x1", "__proto__", "constructor",
	"1_0", "- ", "//",
}

// random makes documents of every shape that the encoder distinguishes.
type random struct {
	*rand.Rand
}

func (r random) value(depth int) any {
	if depth <= 0 || r.IntN(4) == 0 {
		return r.scalar()
	}
	switch r.IntN(7) {
	case 0:
		return r.list(r.IntN(6), r.scalar)
	case 1:
		return r.list(r.IntN(4), func() any { return r.value(depth - 1) })
	case 2:
		row := r.shape(depth - 1)
		return r.list(1+r.IntN(4), func() any { return r.shuffled(row()) })
	case 3:
		row := r.shape(depth - 1)
		return r.object(1+r.IntN(4), func() any { return r.shuffled(row()) })
	case 4:
		rows := r.shape(depth - 1)
		return r.list(1+r.IntN(3), func() any { return r.spoiled(rows(), depth-1) })
	}
	return r.object(r.IntN(5), func() any { return r.value(depth - 1) })
}

// shape chooses the keys of rows once and returns what makes a row of that shape.
func (r random) shape(depth int) func() Object {
	var keys []string
	var cells []func() any
	for range 1 + r.IntN(4) {
		keys = append(keys, r.word())
		cell := r.scalar
		if depth > 0 && r.IntN(4) == 0 {
			inner := r.shape(depth - 1)
			cell = func() any { return r.shuffled(inner()) }
		}
		cells = append(cells, cell)
	}
	return func() Object {
		o := Object{}
		for i, key := range keys {
			o.Set(key, cells[i]())
		}
		return o
	}
}

// spoiled now and then takes from a row what makes it fit its table.
func (r random) spoiled(o Object, depth int) Object {
	switch r.IntN(6) {
	case 0:
		o.Set(r.word(), r.value(depth))
	case 1:
		return o[1:]
	case 2:
		o[r.IntN(len(o))].Value = []any{Object{}, nil, []any{}}[r.IntN(3)]
	}
	return o
}

func (r random) shuffled(o Object) Object {
	if r.IntN(3) == 0 {
		r.Shuffle(len(o), func(i, j int) { o[i], o[j] = o[j], o[i] })
	}
	return o
}

func (r random) list(n int, item func() any) []any {
	items := make([]any, n)
	for i := range items {
		items[i] = item()
	}
	return items
}

func (r random) object(n int, value func() any) Object {
	o := Object{}
	// JavaScript moves keys that are whole numbers to the front, so at most one such key comes, and first.
	if r.IntN(10) == 0 {
		o.Set(strconv.Itoa(r.IntN(100)), value())
	}
	for range n {
		o.Set(r.word(), value())
	}
	return o
}

func (r random) word() string {
	if r.IntN(3) > 0 {
		return words[r.IntN(len(words))]
	}
	var b strings.Builder
	for range 1 + r.IntN(3) {
		b.WriteString(words[r.IntN(len(words))])
	}
	if s := b.String(); skipDigits(s) != "" {
		return s
	}
	return "x"
}

func (r random) scalar() any {
	switch r.IntN(8) {
	case 0:
		return nil
	case 1:
		return r.IntN(2) == 0
	case 2, 3, 4:
		return r.number()
	}
	return r.word()
}

// number is one that a float64 holds, in any of the forms that JSON has for it.
func (r random) number() any {
	switch r.IntN(6) {
	case 0:
		return math.Trunc((r.Float64() - 0.5) * math.Pow10(r.IntN(24)))
	case 1:
		return r.Float64() * math.Pow10(r.IntN(600)-310)
	case 2:
		return json.Number([]string{
			"0", "-0", "-0.0", "1.0", "1E2", "1.50e+2", "0.10", "5e-1", "100e-2", "-2E-7",
			"1e21", "1e20",
		}[r.IntN(12)])
	case 3:
		return json.Number(strconv.Itoa(r.IntN(1e6)) + "." + strconv.Itoa(r.IntN(1e6)) + "e" +
			strconv.Itoa(r.IntN(60)-30))
	}
	return r.IntN(2000) - 1000
}
