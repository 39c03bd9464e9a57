package process

import (
	"path/filepath"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

func TestLinesThatWereTypedAndNotReadAreCounted(t *testing.T) {
	keyboard, terminal, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer keyboard.Close()
	defer terminal.Close()
	waiting := func(want int) {
		t.Helper()
		if n, err := Unread(terminal.Name()); err != nil || n != want {
			t.Errorf("%d wait, not %d (%v)", n, want, err)
		}
	}
	waiting(0)
	for _, text := range []string{"half a line", "\n"} {
		if _, err := keyboard.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if text != "\n" {
			waiting(0)
		}
	}
	// The system hands over what is typed in its own time.
	if n, err := unix.Poll([]unix.PollFd{{Fd: int32(terminal.Fd()), Events: unix.POLLIN}}, 10000); n != 1 {
		t.Fatalf("no line arrives: %v", err)
	}
	waiting(len("half a line\n"))
	if _, err := terminal.Read(make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	waiting(0)
}

func TestWhatIsNoTerminalIsAnError(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{filepath.Join(dir, "none"), dir} {
		if n, err := Unread(path); err == nil || n != 0 {
			t.Errorf("%s: %d, %v", path, n, err)
		}
	}
}
