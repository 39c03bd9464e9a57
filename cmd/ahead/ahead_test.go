package ahead

import (
	"strings"
	"testing"
)

func TestOnlyVerbsThatAskTheQuestionAskItAhead(t *testing.T) {
	for line, want := range map[string]bool{
		"cupola status": true, "cupola --robot-status": true, "cupola terse": true, "cupola status --session=api": true,
		"cupola": false, "cupola send api status": false, "cupola help status": false, "cupola status --verbose": false,
		"cupola status --help": false, "cupola --robot-tail=api": false,
	} {
		if got := looks(strings.Fields(line)); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}
