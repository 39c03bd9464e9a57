package cells

import "github.com/charmbracelet/x/cellbuf"

// Dimmed reports for each cell of the last row whether it is drawn faint, grey, or reversed, as programs draw their own
// cursor. The rows before it count for their attributes, which carry on from one row to the next.
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

// A colour is grey if its red, green and blue are at most greyish apart and their mean is from darkest to lightest, of
// 255: lighter text is the usual one, and darker text can hardly be read.
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
