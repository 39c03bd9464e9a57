package wire

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// A change here can crash servers of older tmux versions.
func TestRequestBytesAreFixed(t *testing.T) {
	for name, argv := range map[string][]string{
		"one":     {"list-panes"},
		"several": {"display-message", "-p", "é ☂", ";", "has-session", "-t", ""},
	} {
		t.Run(name, func(t *testing.T) {
			request, err := encodeRequest(argv, "/home/user", 4711)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, name+".golden", hex.Dump(request))
		})
	}
	ready := fileStatus(msgWriteReady, 1, 0)
	done := fileStatus(msgReadDone, 3, 9)
	golden(t, "status.golden", hex.Dump(slices.Concat(ready, done)))
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s:\n got\n%swant\n%s", name, got, want)
	}
}

func TestBadRequestsAreNotEncoded(t *testing.T) {
	for name, c := range map[string]struct {
		argv []string
		cwd  string
		want error
	}{
		"no arguments":      {nil, "/", ErrNoCommand},
		"NUL in the middle": {[]string{"a", "b\x00c"}, "/", ErrNUL},
		"NUL at the end":    {[]string{"a\x00"}, "/", ErrNUL},
		"NUL in the folder": {[]string{"a"}, "/\x00", ErrNUL},
		"long argument":     {[]string{strings.Repeat("x", MaxArgv)}, "/", ErrTooLong},
		"many arguments":    {make([]string, MaxArgv+1), "/", ErrTooLong},
		"long folder":       {[]string{"a"}, strings.Repeat("x", maxBody), ErrTooLong},
	} {
		if b, err := encodeRequest(c.argv, c.cwd, 1); !errors.Is(err, c.want) || b != nil {
			t.Errorf("%s: %d bytes, %v; want %v", name, len(b), err, c.want)
		}
	}
	for name, argv := range map[string][]string{
		"longest argument": {strings.Repeat("x", MaxArgv-1)},
		"most arguments":   make([]string, MaxArgv),
	} {
		b, err := encodeRequest(argv, strings.Repeat("x", maxBody-1), 1)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		checkRequest(t, b, argv, strings.Repeat("x", maxBody-1))
	}
}

// part is a message as a server reads it.
type part struct {
	kind uint32
	body []byte
}

// split reads messages the way tmux's server does, knowing nothing of the encoder.
func split(t testing.TB, b []byte) []part {
	t.Helper()
	var parts []part
	for len(b) > 0 {
		if len(b) < 16 {
			t.Fatalf("%d bytes left over", len(b))
		}
		kind, size := binary.LittleEndian.Uint32(b), int(binary.LittleEndian.Uint16(b[4:]))
		if size < 16 || size > 16384 || size > len(b) {
			t.Fatalf("message %d of %d bytes, %d left", kind, size, len(b))
		}
		if hex.EncodeToString(b[6:16]) != "000008000000ffffffff" {
			t.Fatalf("message %d: header %x", kind, b[:16])
		}
		parts = append(parts, part{kind, b[16:size]})
		b = b[size:]
	}
	return parts
}

// checkRequest fails the test unless b says argv and cwd in the form, order and
// sizes that every server takes.
func checkRequest(t testing.TB, b []byte, argv []string, cwd string) {
	t.Helper()
	var kinds []uint32
	bodies := map[uint32]string{}
	for _, p := range split(t, b) {
		kinds = append(kinds, p.kind)
		bodies[p.kind] = string(p.body)
	}
	if want := []uint32{111, 101, 109, 102, 108, 107, 106, 200}; !slices.Equal(kinds, want) {
		t.Fatalf("messages %v, want %v", kinds, want)
	}
	for kind, want := range map[uint32]string{
		111: "\x00\x00\x01\x00\x00\x00\x00\x00",
		101: "dumb\x00",
		109: "\x00\x00\x00\x00",
		102: "\x00",
		108: cwd + "\x00",
		106: "",
	} {
		if bodies[kind] != want {
			t.Fatalf("message %d holds %q, want %q", kind, bodies[kind], want)
		}
	}
	if len(bodies[107]) != 4 {
		t.Fatalf("pid of %d bytes", len(bodies[107]))
	}
	packed := bodies[200]
	if len(packed) < 5 || packed[len(packed)-1] != 0 {
		t.Fatalf("command %q does not end in a NUL", packed)
	}
	got := strings.Split(packed[4:len(packed)-1], "\x00")
	if n := int(binary.LittleEndian.Uint32([]byte(packed))); n != len(got) || !slices.Equal(got, argv) {
		t.Fatalf("command is %d: %q, want %q", n, got, argv)
	}
}

func FuzzEncode(f *testing.F) {
	f.Add("list-panes\n-a", "/", 1)
	f.Add("display-message\n\n;\n", "", 0)
	f.Add("a\x00b", "/tmp/\x00", -1)
	f.Add(strings.Repeat("x", 16363), strings.Repeat("y", 16367), 1<<31)
	f.Add(strings.Repeat("\n", 16364), "/", 7)
	f.Fuzz(func(t *testing.T, lines, cwd string, pid int) {
		argv := strings.Split(lines, "\n")
		b, err := encodeRequest(argv, cwd, pid)
		if err == nil {
			checkRequest(t, b, argv, cwd)
			return
		}
		long := len(lines) >= 16384-16-4 || len(cwd) >= 16384-16
		if nul := strings.Contains(lines+cwd, "\x00"); !nul && !long {
			t.Fatalf("refused: %v", err)
		}
		if !errors.Is(err, ErrNUL) && !errors.Is(err, ErrTooLong) {
			t.Fatalf("not typed: %v", err)
		}
	})
}
