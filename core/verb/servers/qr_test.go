package servers

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"cupola/core/record/server"
)

// TestTheCodeOfAPageFits holds the code of a usual address to a display of 80 x 24: a screen has 20 rows there.
func TestTheCodeOfAPageFits(t *testing.T) {
	token := strings.Repeat("t", 43)
	page := pageOf(&server.Record{URL: "https://192.168.178.101:7777"}, token, time.Now())
	rows := qrOf(page)
	if len(rows) == 0 || len(rows) > 20 || utf8.RuneCountInString(rows[0]) > 60 {
		t.Errorf("%q takes %d rows", page, len(rows))
	}
	for _, row := range rows {
		if utf8.RuneCountInString(row) != utf8.RuneCountInString(rows[0]) {
			t.Errorf("a row of another width: %q", row)
		}
	}
	if rows := qrOf(strings.Repeat("x", 5000)); rows != nil {
		t.Error("a code of 5,000 bytes")
	}
}
