package servers

import (
	"strings"

	"rsc.io/qr"

	"cupola/core/text/report"
)

// quiet is how many light modules stand around a QR code.
const quiet = 2

// qrLines draws a text as a QR code for a dark or a light terminal: two modules above each other in a cell, light ones
// drawn. It is empty for a text that is too long for one.
func qrLines(text string) []report.Line {
	code, err := qr.Encode(text, qr.L)
	if err != nil {
		return nil
	}
	light := func(x, y int) bool { return !code.Black(x, y) } // outside it is light too
	var lines []report.Line
	for y := -quiet; y < code.Size+quiet; y += 2 {
		var line strings.Builder
		for x := -quiet; x < code.Size+quiet; x++ {
			line.WriteString(map[[2]bool]string{
				{true, true}: "█", {true, false}: "▀", {false, true}: "▄", {false, false}: " ",
			}[[2]bool{light(x, y), light(x, y+1)}])
		}
		lines = append(lines, report.Line{report.Text(line.String())})
	}
	return lines
}
