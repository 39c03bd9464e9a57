package process

import (
	"path/filepath"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

func TestEditsLines(t *testing.T) {
	keyboard, terminal, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer keyboard.Close()
	defer terminal.Close()
	for _, edits := range []bool{false, true, false} {
		modes, err := unix.IoctlGetTermios(int(terminal.Fd()), terminalModes)
		if err != nil {
			t.Fatal(err)
		}
		modes.Lflag |= unix.ICANON
		if edits {
			modes.Lflag &^= unix.ICANON
		}
		if err := unix.IoctlSetTermios(int(terminal.Fd()), setModes, modes); err != nil {
			t.Fatal(err)
		}
		if got, err := EditsLines(terminal.Name()); err != nil || got != edits {
			t.Errorf("%v, %v; want %v", got, err, edits)
		}
	}
	if got, err := EditsLines(filepath.Join(t.TempDir(), "none")); err == nil || got {
		t.Error(got, err)
	}
}
