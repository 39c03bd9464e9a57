package cells

import "github.com/charmbracelet/x/cellbuf"

// Dimmed returns for each cell of the last of some rows whether it is drawn faint, grey, or reversed as the cursor of a
// program is. Attributes carry on from one row to the next.
func Dimmed(rows []string) []bool {
	var style cellbuf.Style
	var drawn []bool
	for i, rest := range rows {
		for rest != "" {
			if rest[0] == esc {
				length, params, isStyle := Escape(rest)
				if isStyle {
					ReadStyle(params, &style)
				}
				rest = rest[max(1, length):]
				continue
			}
			one := First(rest)
			rest = rest[max(1, one.Len):]
			for range one.Width {
				if i == len(rows)-1 {
					drawn = append(drawn, isDim(&style))
				}
			}
		}
	}
	return drawn
}

func isDim(style *cellbuf.Style) bool {
	const faint, reversed = cellbuf.FaintAttr, cellbuf.ReverseAttr
	return style.Attrs&(faint|reversed) != 0 || isGrey(style)
}

// The colour of a text that is neither the usual one nor hard to read is grey between these levels, of 255, where its
// parts are less than greyish apart.
const (
	darkest  = 40
	lightest = 190
	greyish  = 24
)

func isGrey(style *cellbuf.Style) bool {
	if style.Fg == nil {
		return false
	}
	r, g, b, _ := style.Fg.RGBA()
	r, g, b = r>>8, g>>8, b>>8
	mean := (r + g + b) / 3
	return max(r, g, b)-min(r, g, b) <= greyish && mean >= darkest && mean <= lightest
}
