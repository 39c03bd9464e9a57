package widget

import (
	"strings"

	"cupola/theme"
)

// Chart draws values as columns of at most widest cells in w by h cells, the greatest as high as all rows. A value
// above 0 is never drawn as nothing. It returns the lines from top to bottom, and where each column begins and how
// many cells one takes; more values than cells lose the first ones.
func Chart(t *theme.Theme, values []float64, w, h, widest int) (lines []Line, at []int, width int) {
	if len(values) == 0 || w < 1 || h < 1 {
		return make([]Line, max(0, h)), nil, 0
	}
	at = make([]int, len(values))
	skipped := max(0, len(values)-w)
	width = min(widest, w/(len(values)-skipped))
	gap := 0
	if width > 1 {
		gap = 1
	}
	most := 0.0
	for i, v := range values {
		at[i], most = (i-skipped)*width, max(most, v)
	}
	bars := t.Glyphs().Bars
	for row := h - 1; row >= 0; row-- {
		var line strings.Builder
		for _, v := range values[skipped:] {
			sign := " "
			if height := steps(v, most, h*len(bars)) - row*len(bars); height > 0 {
				sign = bars[min(height, len(bars))-1]
			}
			line.WriteString(strings.Repeat(sign, width-gap) + strings.Repeat(" ", gap))
		}
		lines = append(lines, Styled(theme.Accent, line.String()))
	}
	return lines, at, width
}

// steps is how high a value is, of so many steps for the greatest.
func steps(value, most float64, n int) int {
	if value <= 0 || most <= 0 {
		return 0
	}
	return max(1, int(value/most*float64(n)+0.5))
}
