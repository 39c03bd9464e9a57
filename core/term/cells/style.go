package cells

import (
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/parser"
	"github.com/charmbracelet/x/cellbuf"
)

// ReadStyle applies the parameters of a sequence that Escape found to a style.
// The decoder of x/ansi does not read them: it panics if there are more than 32.
func ReadStyle(params string, style *cellbuf.Style) {
	var space [parser.MaxParamsSize]ansi.Param
	read, value := ansi.Params(space[:0]), 0
	for i := 0; i <= len(params) && len(read) < len(space); i++ {
		if i < len(params) && params[i] >= '0' && params[i] <= '9' {
			value = min(value*10+int(params[i]-'0'), parser.MaxParam)
			continue
		}
		read = append(read, ansi.Param(ansi.Parameter(value, i < len(params) && params[i] == ':')))
		value = 0
	}
	cellbuf.ReadStyle(read, style)
}
