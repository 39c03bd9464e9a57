package crew

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// past returns deliveries and answers, one line each: "1 a>b" in turn 1, "1 a: text".
func past(lines ...string) *Past {
	p := NewPast(nil, nil, 0)
	for _, line := range lines {
		turn, rest, _ := strings.Cut(line, " ")
		n := int(turn[0] - '0')
		if from, to, delivered := strings.Cut(rest, ">"); delivered {
			p.Deliver([]Delivery{{From: from, To: to, Turn: n}})
			continue
		}
		who, text, _ := strings.Cut(rest, ": ")
		p.Answer(&Ask{Turn: n, Member: who, Answer: text, State: Routed})
	}
	return p
}

func TestPingPongCountsTurnsOfOnePairAlone(t *testing.T) {
	for _, test := range []struct {
		lines []string
		turn  int
		want  string
	}{
		{nil, 0, "0  "},
		{[]string{"1 a>b", "2 b>a", "3 a>b"}, 3, "3 a b"},
		{[]string{"1 a>b", "2 b>a", "2 c>a", "3 a>b"}, 3, "1 a b"},
		{[]string{"1 a>c", "2 b>a", "3 a>b"}, 3, "2 a b"},
		{[]string{"1 a>a", "2 a>a"}, 2, "2 a a"},
		{[]string{"1 user>a", "2 a>b"}, 2, "1 a b"},
		{[]string{"1 a>b", "3 a>b"}, 3, "1 a b"},
		{[]string{"1 a>b", "2 crew>a", "3 crew>a"}, 3, "0  "},
	} {
		turns, a, b := past(test.lines...).PingPong(test.turn)
		if got := fmt.Sprintf("%d %s %s", turns, a, b); got != test.want {
			t.Errorf("%q: %q, want %q", test.lines, got, test.want)
		}
	}
}

func TestStalledCountsTurnsWithoutAnythingNew(t *testing.T) {
	for _, test := range []struct {
		lines []string
		turn  int
		want  int
	}{
		{[]string{"0 a: x", "1 a: y"}, 1, 0},
		{[]string{"0 a: x", "1 a: X ", "2 a:  x"}, 2, 2},
		{[]string{"0 a: x", "1 a: x", "1 b: z"}, 1, 0},
		{[]string{"0 a: x", "1 a: ", "2 a: "}, 2, 2},
		{[]string{"0 a: x", "0 b: y", "1 b: x"}, 1, 0},
	} {
		if got := past(test.lines...).Stalled(test.turn); got != test.want {
			t.Errorf("%q: %d, want %d", test.lines, got, test.want)
		}
	}
}

func TestMemberYieldsAfterAsManyTurnsInARow(t *testing.T) {
	waiting := []Delivery{{To: "a", From: "b"}, {To: "b", From: "a"}}
	three := []string{"1 a: x", "2 a: y", "3 a: z"}
	for _, test := range []struct {
		lines    []string
		waiting  []Delivery
		now      string
		yielding []string
	}{
		{three, waiting, "b", []string{"a"}},
		{three, waiting[:1], "a", nil},
		{three[1:], waiting, "ab", nil},
		{append([]string{"1 b: x", "2 b: y", "3 b: z"}, three...), waiting, "ab", nil},
	} {
		now, yielding := past(test.lines...).Yield(4, 3, test.waiting)
		to := ""
		for _, d := range now {
			to += d.To
		}
		if to != test.now || !slices.Equal(yielding, test.yielding) {
			t.Errorf("%q: %q and %q, want %q and %q", test.lines, to, yielding, test.now, test.yielding)
		}
	}
}

func TestTurnsThatEndedTheCrewOnceCountNoMore(t *testing.T) {
	p := NewPast(nil, []Delivery{{From: "a", To: "b", Turn: 1}, {From: "b", To: "a", Turn: 2}, {
		From: "a",
		To:   "b", Turn: 3,
	}}, 2)
	if turns, _, _ := p.PingPong(3); turns != 1 {
		t.Errorf("they talked for %d turns", turns)
	}
	if turns := p.Stalled(3); turns != 1 {
		t.Errorf("nothing new for %d turns", turns)
	}
}

func TestMessagesOfOnePromptFitTogether(t *testing.T) {
	message := func(bytes int) Delivery { return Delivery{Text: strings.Repeat("x", bytes)} }
	many := slices.Repeat([]Delivery{message(50_000)}, 20)
	for _, test := range []struct {
		limit    int
		messages []Delivery
		want     int
	}{
		{50_000, nil, 50_000},
		{50_000, []Delivery{message(1 << 20)}, 50_000},
		{0, []Delivery{message(300_000)}, 400_000},
		{0, []Delivery{message(1 << 20)}, 400_000},
		{0, []Delivery{message(1 << 20), message(100_000)}, 300_000},
		{50_000, many, 20_000},
	} {
		if got := (&Limits{MessageBytes: test.limit}).Deliverable(test.messages); got != test.want {
			t.Errorf("%d messages with a limit of %d: %d, want %d", len(test.messages), test.limit, got, test.want)
		}
	}
}
