package verbs

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"
	"time"

	"cupola/core/verb/registry"
	"cupola/core/verb/verbtest"
	"cupola/robot"
)

// leastSaved is how many percent of a list's rows --fields=minimal leaves out, in the mean over the verbs that list.
const leastSaved = 60

// TestMinimalFieldsAreFew measures the rows of each list in bytes: what is around them is the same in both forms, and
// little beside many rows.
func TestMinimalFieldsAreFew(t *testing.T) {
	sum, verbs := 0.0, 0
	for _, verb := range allVerbs().RealVerbs() {
		if verb.List == "" || verb.Effect != registry.Reads || verb.Streams || verb.Tool != "" {
			continue
		}
		whole := rowsOf(t, verb)
		if whole <= len("[]") {
			continue // its example lists nothing on this stage
		}
		saved := 100 * (1 - float64(rowsOf(t, verb, "minimal"))/float64(whole))
		t.Logf("%-20s %5d bytes, %.0f %% fewer", verb.Name, whole, saved)
		sum, verbs = sum+saved, verbs+1
	}
	mean := sum / float64(verbs)
	t.Logf("%.1f %% fewer in the mean over %d verbs", mean, verbs)
	if verbs < 20 || mean < leastSaved {
		t.Errorf("%.1f %% fewer in the mean over %d verbs, not %d %%", mean, verbs, leastSaved)
	}
}

// rowsOf is the size of a verb's list in its answer to its first example, in bytes; 0 if it fails.
func rowsOf(t *testing.T, v *registry.Verb, fields ...string) int {
	t.Helper()
	examples := v.Examples()
	if len(examples) == 0 || needsLiveFleet(v, examples[0]) {
		return 0
	}
	in := exampleOf(t, v, examples[0])
	var out bytes.Buffer
	face := robot.Face{
		Env: stages(t, v)(in), Globals: registry.Globals{Format: "json", Fields: fields}, Stdout: &out,
		Stderr: io.Discard, Now: func() time.Time { return verbtest.Noon }, Started: verbtest.Noon,
	}
	if face.Run(t.Context(), v, in) != 0 {
		return 0
	}
	var answer map[string]json.RawMessage
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		t.Fatalf("%s: %v", v.Name, err)
	}
	return len(answer[v.List])
}
