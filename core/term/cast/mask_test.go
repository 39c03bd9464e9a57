package cast_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"cupola/core/term/cast"
	"cupola/core/text/secret"
)

// recorded is a recording of pieces, one each 100 ms.
func recorded(pieces ...string) *cast.Recording {
	c := &cast.Recording{Header: cast.Header{Version: 2, Width: 60, Height: 8}}
	for i, piece := range pieces {
		c.Events = append(c.Events, cast.Event{
			At: time.Duration(i) * 100 * time.Millisecond, Kind: cast.Output, Data: piece,
		})
	}
	return c
}

func TestACredentialIsInNoMomentOfAMaskedRecording(t *testing.T) {
	t.Parallel()
	const name = "GH_TOKEN="
	key := strings.Repeat("a1b2", 10) // 40 characters, as such keys have
	letters := func(format func(i int, letter string) string) []string {
		var all []string
		for i, letter := range name + key {
			all = append(all, format(i, string(letter)))
		}
		return all
	}
	for how, pieces := range map[string][]string{
		"whole":               {"$ " + name + key + "\r\n"},
		"letter by letter":    letters(func(_ int, l string) string { return l }),
		"in colours":          {name + key[:10] + "\x1b[1;31m" + key[10:20] + "\x1b[0m" + key[20:]},
		"coloured letters":    letters(func(i int, l string) string { return fmt.Sprintf("\x1b[3%dm%s", i%8, l) }),
		"placed letters":      letters(func(i int, l string) string { return fmt.Sprintf("\x1b[3;%dH%s", i+1, l) }),
		"from the end":        {"\x1b[3;30H" + key[20:], "\x1b[3;1H" + name + key[:20]},
		"invisible":           {name + key[:10] + "\u200b" + key[10:20] + "\u2060" + key[20:]},
		"in a title":          {"\x1b]0;" + name + key + "\x07"},
		"in a link":           {"\x1b]8;;https://x.example.org/?token=" + key + "\x1b\\here\x1b]8;;\x1b\\"},
		"over two lines":      {strings.Repeat("x", 20) + " " + name + key + "\r\n"},
		"overwritten":         {name + strings.Repeat("-", 40), "\r" + name + key},
		"a line that is kept": {"\x1b[2;1H" + name, "\x1b[5;1Hother", "\x1b[2;10H" + key},
	} {
		masked := recorded(pieces...).Masked(cast.Mask{Pieces: secret.Pieces, Lines: secret.Lines})
		if len(masked.Events) != len(pieces) {
			t.Errorf("%s: %d events", how, len(masked.Events))
		}
		for i, e := range masked.Events {
			screen := strings.Join(masked.ScreenAt(e.At).Lines(), "")
			// A few letters are shown before it is known what they begin.
			if strings.Contains(screen, key[:16]) || strings.Contains(e.Data, key[:16]) {
				t.Errorf("%s, event %d: %q\n%s", how, i, e.Data, screen)
				break
			}
		}
		if how == "letter by letter" || how == "placed letters" || how == "coloured letters" {
			if screen := strings.Join(masked.ScreenAt(2*time.Second).Lines(), ""); strings.Contains(screen, key[:4]) {
				t.Errorf("%s: its beginning shows: %q", how, screen)
			}
		}
	}
}

func TestWhatIsNoCredentialStaysAsItWasWritten(t *testing.T) {
	t.Parallel()
	pieces := []string{"\x1b[1mone\x1b[0m\r\n", "\x1b[3;4Htwo", "\x1b[?1049hthree", "日本"}
	masked := recorded(pieces...).Masked(cast.Mask{Pieces: secret.Pieces, Lines: secret.Lines})
	for i, e := range masked.Events {
		if e.Data != pieces[i] {
			t.Errorf("%q became %q", pieces[i], e.Data)
		}
	}
}
