package scripted

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cupola/core/term/cells"
)

func TestWrap(t *testing.T) {
	tests := map[string]struct {
		text  string
		width int
		want  []string
	}{
		"empty":             {"", 5, []string{""}},
		"fits":              {"abcde", 5, []string{"abcde"}},
		"at a blank":        {"ab cde", 5, []string{"ab", "cde"}},
		"blank at the edge": {"abcde f", 5, []string{"abcde", "f"}},
		"a long word":       {"abcdefg", 3, []string{"abc", "def", "g"}},
		"a long word after": {"a bcdefg", 3, []string{"a", "bcd", "efg"}},
		"wide characters":   {"世界世界", 5, []string{"世界", "世界"}},
		"joined characters": {"👩‍🚀👩‍🚀", 2, []string{"👩‍🚀", "👩‍🚀"}},
		"line breaks":       {"a\n\nb", 5, []string{"a", "", "b"}},
		"tabs and controls": {"a\tb\x1b[", 9, []string{"a    b�["}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, hang("", tt.text, "", tt.width)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzWrap(f *testing.F) {
	f.Add("ab 世界 cde\nf", 5)
	f.Add("a\xff\x00b", 1)
	f.Fuzz(func(t *testing.T, text string, width int) {
		width = 2 + (width&0x7fffffff)%80
		got := hang("", text, "", width)
		for _, l := range got {
			if cells.Width(l) > width {
				t.Errorf("%q is wider than %d", l, width)
			}
		}
		blanks := strings.NewReplacer(" ", "", "\n", "")
		if want := blanks.Replace(printable(text)); blanks.Replace(strings.Join(got, "")) != want {
			t.Errorf("%q lost text: %q", text, got)
		}
	})
}

func TestEverySizeIsDrawnWithinItself(t *testing.T) {
	scenes := map[string]func(s *driver){
		"idle":  func(*driver) {},
		"draft": func(s *driver) { s.typed("世界 wide\nand a much longer second line of the draft") },
		"busy":  func(s *driver) { s.typed("stream 3").keys(keyEnter).after(2 * time.Second) },
		"tool": func(s *driver) {
			s.typed("tool echo 世界世界世界世界世界世界世界世界世界世界").keys(keyEnter).after(time.Second)
		},
		"dialog": func(s *driver) { s.typed("plan").keys(keyEnter).after(time.Second) },
		"queue":  func(s *driver) { s.typed("slow 9").keys(keyEnter).typed("say 世界").keys(keyEnter) },
	}
	for name, prepare := range scenes {
		t.Run(name, func(t *testing.T) {
			s := newDriver(t, nil)
			prepare(s)
			for width := 1; width < 90; width++ {
				for _, height := range []int{1, 2, 5, 24} {
					checkSize(t, s.agent, width, height)
				}
			}
		})
	}
}

func checkSize(t *testing.T, a *agent, width, height int) {
	t.Helper()
	v := drawing{a, width, height}.screen()
	if len(v.rows) != height {
		t.Fatalf("%dx%d: %d rows", width, height, len(v.rows))
	}
	for _, r := range v.rows {
		if cells.Width(r) > width {
			t.Fatalf("%dx%d: %q is %d wide", width, height, cells.Strip(r), cells.Width(r))
		}
	}
	if c := v.cursor; c.row < 0 || c.row >= height || c.column < 0 || c.column >= width {
		t.Fatalf("%dx%d: cursor at %v", width, height, c)
	}
}

func TestNarrowTerminalKeepsTheMarks(t *testing.T) {
	s := newDriver(t, nil).typed("slow 9 世界 and so on, for more than forty columns").keys(keyEnter)
	var got []string
	for _, r := range (drawing{s.agent, 40, 16}).screen().rows {
		got = append(got, cells.Strip(r))
	}
	rule := strings.Repeat(MarkRule, 40)
	want := []string{
		"◆ cc_1 1.0.0", "  model mock-1", "  folder /src/api", "",
		"> slow 9 世界 and so on, for more than", "  forty columns", "", "", "", "", "",
		"* Thinking… (0s · esc to interrupt)", rule, "› Type a prompt", rule, "  esc to interrupt · mock-1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTranscriptForgetsOldBlocksOnly(t *testing.T) {
	var tr transcript
	for range 5 * keptBlocks {
		tr.print(reply("x"))
	}
	if tr.count() != 5*keptBlocks || len(tr.blocks) >= 2*keptBlocks {
		t.Errorf("counts %d, keeps %d", tr.count(), len(tr.blocks))
	}
	tr.print(reply("last"))
	rows := tr.since(tr.count()-1, 80)
	if len(rows) != 1 || cells.Strip(rows[0]) != "  last" {
		t.Errorf("the last block is %v", rows)
	}
}
