package servers

import (
	"strings"

	"rsc.io/qr"
)

// quiet is the width of the light border of a QR code, in modules.
const quiet = 2

// qrOf draws a text as a QR code: two modules above each other in a cell, light ones drawn. It is empty for a text that
// is too long for one.
func qrOf(text string) (rows []string) {
	code, err := qr.Encode(text, qr.L)
	if err != nil {
		return nil
	}
	light := func(x, y int) bool { return !code.Black(x, y) } // outside it is light too
	for y := -quiet; y < code.Size+quiet; y += 2 {
		var row strings.Builder
		for x := -quiet; x < code.Size+quiet; x++ {
			row.WriteString(map[[2]bool]string{
				{true, true}: "█", {true, false}: "▀", {false, true}: "▄", {false, false}: " ",
			}[[2]bool{light(x, y), light(x, y+1)}])
		}
		rows = append(rows, row.String())
	}
	return rows
}
