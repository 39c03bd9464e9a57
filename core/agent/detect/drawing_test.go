package detect_test

import (
	"testing"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/detect"
)

// TestHalfDrawnScreensAskNothing judges recorded screens of agents that work or rest while their last rows are not
// drawn yet: none asks anything, where the state before is known.
func TestHalfDrawnScreensAskNothing(t *testing.T) {
	kinds, err := agent.Load()
	if err != nil {
		t.Fatal(err)
	}
	tried, sketched := 0, 0
	for _, c := range corpus(t, recordings(t)) {
		original := c.judged(kinds, c.screen(t, ".txt"))
		if original.State != core.Working && original.State != core.Idle {
			continue
		}
		for missing := 1; missing < 14; missing++ {
			screen := cutOff(c.screen(t, ".txt"), missing)
			if screen == nil {
				break
			}
			tried++
			facts := c.facts(kinds, screen)
			facts.Before, facts.Follows = original.Status, true
			if v := detect.Judge(facts); v.State == core.Waiting {
				t.Errorf("%s without its last %d rows: %v", c.File, missing, v.Evidence)
			} else if detect.Judge(c.facts(kinds, screen)).State == core.Waiting {
				sketched++
				facts.QuietSince = noon.Add(-time.Second)
				if v := detect.Judge(facts); v.State != core.Waiting {
					t.Errorf("%s without its last %d rows for a while: %s, %v", c.File, missing, v.State, v.Evidence)
				}
			}
		}
	}
	if tried < 5000 || sketched < 10 || sketched > tried/100 {
		t.Errorf("of %d screens %d look like a dialog", tried, sketched)
	}
}

// cutOff is a screen without the last rows that are drawn; nil if next to nothing would be left.
func cutOff(s *core.Screen, rows int) *core.Screen {
	end := len(s.Lines)
	for end > 0 && s.Lines[end-1] == "" {
		end--
	}
	if end-rows < 3 {
		return nil
	}
	clear(s.Lines[end-rows:])
	return s
}
