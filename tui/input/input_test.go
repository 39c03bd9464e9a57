package input

import (
	"os"
	"strings"
	"sync"
	"testing"
)

func TestRepliesAreTakenOutAndKeysKept(t *testing.T) {
	for _, test := range []struct{ name, in, want, rest string }{
		{"keys", "abc\r", "abc\r", ""},
		{"arrow", "\x1b[A", "\x1b[A", ""},
		{"alone escape", "\x1b", "\x1b", ""},
		{"alt key", "\x1bx", "\x1bx", ""},
		{"alt bracket", "\x1b]q", "\x1b]q", ""},
		{"background", "a\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\b", "ab", ""},
		{"background with bell", "\x1b]11;rgb:ffff/ffff/ffff\x07j", "j", ""},
		{"device attributes", "\x1b[?62;22cq", "q", ""},
		{"version", "\x1bP>|tmux 3.3a\x1b\\k", "k", ""},
		{"modified key", "\x1b[1;5C", "\x1b[1;5C", ""},
		{"mouse", "\x1b[<0;10;5M", "\x1b[<0;10;5M", ""},
		{"paste", "\x1b[200~hi\x1b[201~", "\x1b[200~hi\x1b[201~", ""},
		{"unfinished reply", "x\x1b]11;rgb:1e", "x", "\x1b]11;rgb:1e"},
		{"F3", "\x1b[1;2R", "\x1b[1;2R", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			kept, rest := strip([]byte(test.in))
			if string(kept) != test.want || string(rest) != test.rest {
				t.Errorf("strip(%q) = %q and %q, want %q and %q", test.in, kept, rest, test.want, test.rest)
			}
		})
	}
}

func TestAReplyMayComeInPieces(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	r := New(read)
	var got []byte
	for _, piece := range []string{"a\x1b]11;rg", "b:00/00/00", "\x1b\\b"} {
		if _, err := write.WriteString(piece); err != nil {
			t.Fatal(err)
		}
		buffer := make([]byte, 256)
		n, err := r.Read(buffer)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, buffer[:n]...)
	}
	write.Close()
	if string(got) != "ab" {
		t.Errorf("got %q, want %q", got, "ab")
	}
}

func FuzzStrip(f *testing.F) {
	f.Add([]byte("a\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\b"))
	f.Add([]byte("\x1b[?62;22c\x1b"))
	f.Fuzz(func(t *testing.T, in []byte) {
		kept, rest := strip(append([]byte(nil), in...))
		if len(kept)+len(rest) > len(in) {
			t.Errorf("%q became longer: %q and %q", in, kept, rest)
		}
		for _, b := range in {
			if b == 0x1b {
				return
			}
		}
		if string(kept) != string(in) {
			t.Errorf("%q holds no escape and became %q", in, kept)
		}
	})
}

func TestTwoLoopsMayReadForAMoment(t *testing.T) {
	from, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	keys := New(from)
	var mu sync.Mutex
	var read strings.Builder
	var loops sync.WaitGroup
	for range 2 {
		loops.Go(func() {
			for p := make([]byte, 8); ; {
				n, err := keys.Read(p)
				mu.Lock()
				read.Write(p[:n])
				mu.Unlock()
				if err != nil {
					return
				}
			}
		})
	}
	const presses = 1000
	for range presses {
		if _, err := to.WriteString("k\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\"); err != nil {
			t.Fatal(err)
		}
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	loops.Wait()
	if got := strings.Count(read.String(), "k"); got != presses {
		t.Errorf("%d of %d keys arrived", got, presses)
	}
}
