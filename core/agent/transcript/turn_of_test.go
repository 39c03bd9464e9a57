package transcript_test

import (
	"strings"
	"testing"
	"time"
)

func TestThePromptOfAnEarlierTurnHasItsOwnAnswer(t *testing.T) {
	sent := time.Date(2026, 11, 20, 20, 59, 59, 0, time.UTC)
	for kind, record := range records {
		if !strings.Contains(strings.Join(record.lines, ""), "first") {
			continue
		}
		t.Run(string(kind), func(t *testing.T) {
			a := newHome(t, kind)
			putGeminiRoot(t, a)
			a.put(t, record.path, record.lines...)
			result := a.read(t)
			if turn, over, found := result.TurnOf("first", sent); !found || !over || turn.Message != "One." {
				t.Errorf("the turn before: %+v, %v, %v", turn, over, found)
			}
			if turn, over, found := result.TurnOf("second", sent); !found || !over || turn.Message != "All done." {
				t.Errorf("the last turn: %+v, %v, %v", turn, over, found)
			}
			if turn, _, found := result.TurnOf("third", sent); found {
				t.Errorf("a prompt that nobody sent: %+v", turn)
			}
			if turn, _, found := result.TurnOf("second", sent.Add(time.Hour)); found {
				t.Errorf("one sent later: %+v", turn)
			}
			a.put(t, record.path, record.lines[:len(record.lines)-record.stop]...)
			result = a.read(t)
			if _, over, found := result.TurnOf("second", sent); !found || over {
				t.Errorf("in its turn: %v, %v", over, found)
			}
		})
	}
}
