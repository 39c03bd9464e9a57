package term

import (
	"fmt"
	"strings"
	"testing"
)

// storms are sequences that change the whole screen with few bytes.
var storms = []string{
	"\x1bc", "\x1b[2J", "\x1b[3J", "\x1b#8", "\x1b[?1049h\x1b[?1049l",
	"\x1b[999L", "\x1b[999M", "\x1b[999S", "\x1b[999T", "\x1b[J", "a\x1b[9999b", "\x1b[999@", "\x1b[999P",
	"\x1bM", "\n", "\x1b]2;t\a", "\x1b7\x1b8", "\x1b[!p",
}

// BenchmarkStorm writes what a pseudo-terminal gives at once: others wait that long for the screen.
func BenchmarkStorm(b *testing.B) {
	for _, storm := range storms {
		b.Run(fmt.Sprintf("%q", storm), func(b *testing.B) {
			const piece = 4096
			t := New(200, 60)
			p := []byte(strings.Repeat(storm, piece/len(storm)))
			for b.Loop() {
				_, _ = t.Write(p)
			}
		})
	}
}

func TestClustersAreRightAfterAnyNumberOfOthers(t *testing.T) {
	one := New(80, 24)
	for _, words := range []string{"cafe\u0301", "nin\u0303o"} {
		_, _ = one.Write([]byte(words + "\r\n"))
	}
	_, _ = one.Write([]byte("\x1b[?1049h\x1b[H"))
	for i := range 70_000 {
		_, _ = fmt.Fprintf(one, "%c%c%c", 'a'+i%26, 0x300+i/26%100, 0x300+i/2600%100)
	}
	for _, words := range []string{"cafe\u0301", "\u2764\ufe0f", "\U0001f469\u200d\U0001f4bb"} {
		_, _ = one.Write([]byte("\x1b[H\x1b[2K" + words))
		if got := one.Lines()[0]; got != words {
			t.Errorf("%q shows as %q", words, got)
		}
	}
	if n := len(one.e.clusters.texts); n > 2*leastClusters {
		t.Errorf("%d texts are kept", n)
	}
	loaded, err := Load(one.Save())
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []*Terminal{one, loaded} {
		_, _ = of.Write([]byte("\x1b[?1049l"))
		if got := of.Lines(); got[0] != "cafe\u0301" || got[1] != "nin\u0303o" {
			t.Errorf("the main screen shows %q", got[:2])
		}
	}
}
