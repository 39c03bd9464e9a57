package look

import (
	"os"
	"testing"
	"time"

	"github.com/creack/pty"
)

func TestTheBackgroundIsReadInWhatATerminalSays(t *testing.T) {
	for said, want := range map[string][2]bool{ // light, known
		"\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1b[?62;c":          {true, true},
		"\x1b]11;rgb:1e1e/1e1e/2e2e\x07\x1b[?6c":              {false, true},
		"\x1b]11;rgb:f/f/0\x07":                               {true, true},
		"\x1b]11;rgba:0000/0000/ffff/ffff\x07":                {false, true},
		"x\x1b]11;rgb:fdfd/f6f6/e3e3\x07":                     {true, true},
		"\x1b[?62;c":                                          {false, false},
		"\x1b]11;rgb:ffff/ffff/ff":                            {false, false},
		"\x1b]11;rgb:ffff/ffff\x07":                           {false, false},
		"\x1b]11;rgb:gggg/ffff/ffff\x07":                      {false, false},
		"\x1b]11;rgb:fffff/ffff/ffff\x07":                     {false, false},
		"":                                                    {false, false},
		"\x1b]11;rgb:///\x07":                                 {false, false},
		"\x1b]10;rgb:ffff/ffff/ffff\x07\x1b]11;#ffffff\x1b\\": {false, false},
	} {
		if light, known := lightIn([]byte(said)); light != want[0] || known != want[1] {
			t.Errorf("%q: light %v, known %v", said, light, known)
		}
	}
}

func TestATerminalIsAskedOnceAndNotLong(t *testing.T) {
	screen, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer screen.Close()
	defer tty.Close()
	// This process is not in its foreground group, so nothing is asked.
	began := time.Now()
	if light, known := background(tty, tty); light || known {
		t.Errorf("light %v, known %v", light, known)
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if _, known := background(null, null); known {
		t.Error("no terminal says what its background is")
	}
	if took := time.Since(began); took > 10*backgroundWithin {
		t.Errorf("it took %v", took)
	}
}
