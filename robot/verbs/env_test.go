package verbs

import (
	"errors"
	"reflect"
	"testing"

	"cupola/core/fleet"
	"cupola/core/verb"
)

func TestEnvOpensFleetOnceOnDemand(t *testing.T) {
	opened, cause := 0, errors.New("closed today")
	env := &verb.Env{OpenFleet: func() (*fleet.Fleet, error) { opened++; return nil, cause }}
	if err := env.Close(); err != nil || env.Opened() || opened != 0 {
		t.Fatalf("opened %d times before the first use", opened)
	}
	for range 2 {
		if _, err := env.Fleet(); !errors.Is(err, cause) {
			t.Errorf("got %v", err)
		}
	}
	if opened != 1 || env.Opened() || env.Sessions(t.Context()) != nil {
		t.Errorf("opened %d times", opened)
	}
}

func TestExamplesAreWrittenAsCommandsAre(t *testing.T) {
	for _, verb := range allVerbs().Verbs {
		for _, example := range verb.Examples() {
			if line := verb.Command(exampleOf(t, verb, example)); line != example {
				t.Errorf("%s: write %s", example, line)
			}
		}
	}
}

// TestAnswersSayAllOnTheirValue finds methods that no caller sees, as answers are values.
func TestAnswersSayAllOnTheirValue(t *testing.T) {
	said := 0
	for _, verb := range allVerbs().Verbs {
		own, pointer := verb.Output(), reflect.PointerTo(verb.Output())
		for _, name := range []string{"Report", "Hints", "Next", "Plan", "Terse", "Markdown", "Lead"} {
			_, is := own.MethodByName(name)
			if _, all := pointer.MethodByName(name); all && !is {
				t.Errorf("%s: %s has a pointer as its receiver", verb.Name, name)
			}
			if is {
				said++
			}
		}
	}
	if said < 50 {
		t.Errorf("only %d methods were seen", said)
	}
}
