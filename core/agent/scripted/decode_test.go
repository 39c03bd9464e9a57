package scripted

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var compareKeys = cmp.AllowUnexported(key{})

func TestDecoderReadsKeys(t *testing.T) {
	tests := map[string]struct {
		input string
		want  []key
	}{
		"text":                   {"héllo", []key{{text: "héllo"}}},
		"enter":                  {"a\r", []key{{text: "a"}, {kind: keyEnter}}},
		"line feed is a newline": {"a\nb", []key{{text: "a"}, {kind: keyNewline}, {text: "b"}}},
		"alt enter is a newline": {"\x1b\r", []key{{kind: keyNewline}}},
		"controls": {
			"\x03\x15\x7f\x08",
			[]key{{kind: keyStop}, {kind: keyKillLine}, {kind: keyBackspace}, {kind: keyBackspace}},
		},
		"unknown controls":        {"\x00\x01\x0c", nil},
		"cursor keys":             {"\x1b[A\x1bOB", []key{{kind: keyUp}, {kind: keyDown}}},
		"modified cursor keys":    {"\x1b[1;5A", nil},
		"unknown sequences":       {"\x1b[I\x1b[15~\x1b[<0;1;1Mx", []key{{text: "x"}}},
		"alt chord":               {"\x1bpx", []key{{text: "x"}}},
		"two escapes":             {"\x1b\x1b[A", []key{{kind: keyEsc}, {kind: keyUp}}},
		"answers of the terminal": {"\x1b]10;rgb:0/0/0\ax\x1bP1+r\x1b\\y", []key{{text: "xy"}}},
		"paste": {
			"\x1b[200~a\x03\r\x1b[201~\r",
			[]key{{kind: keyPaste, text: "a\x03\n"}, {kind: keyEnter}},
		},
		"paste with CRLF":         {"\x1b[200~a\r\nb\x1b[201~", []key{{kind: keyPaste, text: "a\nb"}}},
		"paste with sequences":    {"\x1b[200~\x1b[A\x1b[20\x1b[201~", []key{{kind: keyPaste, text: "\x1b[A\x1b[20"}}},
		"bytes that are no UTF-8": {"a\xffb", []key{{text: "a\xffb"}}},
		"cut sequence":            {"\x1b[1\x1b[A", []key{{kind: keyUp}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, decodeCut(tt.input, len(tt.input)), compareKeys); diff != "" {
				t.Errorf("read at once (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.want, decodeCut(tt.input, 1), compareKeys); diff != "" {
				t.Errorf("read byte by byte (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecoderWaitsBeforeALoneEscape(t *testing.T) {
	var d decoder
	if keys := d.feed([]byte("\x1b")); len(keys) != 0 || !d.pending() {
		t.Fatalf("a lone ESC gave %v, pending %v", keys, d.pending())
	}
	if diff := cmp.Diff([]key{{kind: keyEsc}}, d.flush(), compareKeys); diff != "" {
		t.Error(diff)
	}
	if d.pending() {
		t.Error("still pending after a flush")
	}
}

func TestDecoderKeepsAnOpenPaste(t *testing.T) {
	var d decoder
	d.feed([]byte(pasteStart + "half\x1b"))
	if d.pending() || d.flush() != nil {
		t.Error("an open paste was given up")
	}
	keys := d.feed([]byte("[201~"))
	if diff := cmp.Diff([]key{{kind: keyPaste, text: "half"}}, keys, compareKeys); diff != "" {
		t.Error(diff)
	}
}

func FuzzDecoder(f *testing.F) {
	for _, seed := range []string{
		"a\r", "é世\x1b[A", pasteStart + "x\r\ny" + pasteEnd + "\r", "\x1b]2;t\x1b\\",
		"\x1b\x1b", "\xf0\x9f",
	} {
		f.Add(seed, uint8(1))
	}
	f.Fuzz(func(t *testing.T, input string, size uint8) {
		whole := decodeCut(input, len(input))
		parts := decodeCut(input, int(size))
		if diff := cmp.Diff(whole, parts, compareKeys); diff != "" {
			t.Errorf("cuts of %d change the meaning of %q:\n%s", size, input, diff)
		}
		if strings.Contains(input, pasteEnd) || strings.Contains(input, "\r") || markerTail([]byte(input)) > 0 {
			return
		}
		want := []key{{kind: keyPaste, text: input}}
		if diff := cmp.Diff(want, decodeCut(pasteStart+input+pasteEnd, int(size)), compareKeys); diff != "" {
			t.Errorf("a paste of %q is not kept:\n%s", input, diff)
		}
	})
}

// decodeCut decodes input in reads of size bytes.
func decodeCut(input string, size int) []key {
	var d decoder
	var keys []key
	for size = max(1, size); input != ""; {
		n := min(size, len(input))
		for _, k := range d.feed([]byte(input[:n])) {
			keys = appendKey(keys, k)
		}
		input = input[n:]
	}
	for _, k := range d.flush() {
		keys = appendKey(keys, k)
	}
	return keys
}
