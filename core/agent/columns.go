package agent

import (
	"strings"

	"cupola/core/term/cells"
)

// columns returns the part of a row in the columns from left up to right, without
// trailing blanks. A character that is only half inside is left out.
func columns(row string, left, right int) string {
	first, at := len(row), 0
	for i := 0; i < len(row); {
		cluster := cells.First(row[i:])
		if at >= left && first == len(row) && (cluster.Width > 0 || left == 0) {
			first = i
		}
		if at += cluster.Width; at > right {
			return strings.TrimRight(row[min(first, i):i], " ")
		}
		i += cluster.Len
	}
	return strings.TrimRight(row[first:], " ")
}
