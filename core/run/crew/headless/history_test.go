package headless

import (
	"fmt"
	"strings"
	"testing"

	"cupola/core/run/crew"
)

func TestHistoryKeepsTheFirstTurnAndTheNewest(t *testing.T) {
	past := make([]crew.Ask, 20)
	for i := range past {
		past[i] = crew.Ask{Prompt: fmt.Sprint("prompt ", i), Answer: strings.Repeat("x", 1<<20)}
	}
	for room, want := range map[int]string{
		500_000: "0 12 13 14 15 16 17 18 19", 160_000: "0 18 19", 60_000: "0",
		2_000_000: "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19",
	} {
		bytes, got := 0, []string{}
		for _, turn := range history(past, room) {
			bytes += len(turn.Prompt) + len(turn.Answer)
			got = append(got, strings.TrimPrefix(turn.Prompt, "prompt "))
		}
		if strings.Join(got, " ") != want || bytes > room {
			t.Errorf("%d bytes have room for %q in %d, want %q", room, got, bytes, want)
		}
	}
	if turns := history(nil, 1000); len(turns) > 0 {
		t.Errorf("without a past it is %v", turns)
	}
}
