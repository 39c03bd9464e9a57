package term_test

import (
	"bytes"
	"testing"

	"cupola/core/term"
)

// FuzzSave saves a terminal at any byte of any stream: the loaded one continues as the saved one does.
func FuzzSave(f *testing.F) {
	fed(f)
	f.Fuzz(func(t *testing.T, stream []byte, width, height uint8) {
		one := term.New(int(width), int(height))
		cut := len(stream) * (int(width) + 1) / 257
		_, _ = one.Write(stream[:cut])
		other, err := term.Load(one.Save())
		if err != nil {
			t.Fatalf("after %d bytes: %v", cut, err)
		}
		for _, t := range []*term.Terminal{one, other} {
			_, _ = t.Write(stream[cut:])
			t.Resize(int(height), int(width))
		}
		if !bytes.Equal(one.Save(), other.Save()) {
			t.Fatalf("%q, and loaded %q", one.Lines(), other.Lines())
		}
	})
}

// FuzzLoad loads anything: what is no terminal is refused, and what is one can be read and written.
func FuzzLoad(f *testing.F) {
	f.Add(shown("a\x1b[31mb\r\ne\u0301日本\x1b[?1049hx\x1b]0;half").Save(), []byte("\x1b[2Jx"))
	f.Add([]byte{1, 2}, []byte{})
	f.Fuzz(func(t *testing.T, saved, more []byte) {
		one, err := term.Load(saved)
		if err != nil {
			return
		}
		_, _ = one.Write(more)
		historyOf(one, one.History())
		one.Redraw()
		one.Resize(3, 3)
		one.Save()
	})
}
