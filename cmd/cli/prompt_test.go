package cli

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestOneKeyAnswersAQuestion(t *testing.T) {
	for keys, want := range map[string]string{
		"y": yes, "Y": yes, "yes\r": yes, "n": no, "N": no, "\r": no, "\n": no, "\x1b": no, "\x03": interrupted,
		"\x04": interrupted, "xy": yes, "x": interrupted, "\x1b[C": interrupted, "": interrupted, "éy": yes,
	} {
		if got := readAnswer(strings.NewReader(keys)); got != want {
			t.Errorf("%q: %q, want %q", keys, got, want)
		}
	}
	slow := io.MultiReader(iotest.OneByteReader(strings.NewReader("x\t")), strings.NewReader("\x1b[A"),
		strings.NewReader("y"))
	if got := readAnswer(slow); got != yes {
		t.Errorf("behind other keys: %q, want %q", got, yes)
	}
}
