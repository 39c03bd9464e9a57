package transcript_test

import (
	"slices"
	"testing"

	"cupola/core/agent/transcript"
)

// Every format's prompts, messages and tools' texts have the author that the format's own reader finds.
func TestTheTextsOfEveryKindHaveTheirAuthors(t *testing.T) {
	for kind, record := range records {
		t.Run(string(kind), func(t *testing.T) {
			said := map[string][]transcript.Who{}
			for _, line := range record.lines {
				for _, text := range transcript.Says([]byte(line), "").Said {
					said[text.Text] = append(said[text.Text], text.Who)
				}
			}
			for text, who := range map[string]transcript.Who{
				"second": transcript.ByUser, "I will look.": transcript.ByAgent, "All done.": transcript.ByAgent,
				"main.go": transcript.ByTool,
			} {
				other := func(w transcript.Who) bool { return w != who }
				if len(said[text]) == 0 || slices.ContainsFunc(said[text], other) {
					t.Errorf("%q is by %v, not %s", text, said[text], who)
				}
			}
			for _, none := range []string{record.session, record.model, "t1", "m1"} {
				if len(said[none]) > 0 {
					t.Errorf("%q is said by %v", none, said[none])
				}
			}
		})
	}
}

func TestWhatAProgramTellsTheModelIsNotSaid(t *testing.T) {
	for _, line := range []string{
		`{"type":"session_meta","payload":{"base_instructions":{"text":"be brief"},"cwd":"/src"}}`,
		`{"type":"response_item","payload":{"type":"message","role":"developer","content":[{"text":"be brief"}]}}`,
		`{"type":"user","message":{"role":"user","content":"<environment_context>be brief"}}`,
		`"be brief"`, `be brief`, `{"type":"user","content":["  "]`,
	} {
		if said := transcript.Says([]byte(line), "").Said; len(said) > 0 {
			t.Errorf("%s says %v", line, said)
		}
	}
}

func FuzzSays(f *testing.F) {
	for _, record := range records {
		for _, line := range record.lines {
			f.Add([]byte(line))
		}
	}
	f.Fuzz(func(t *testing.T, part []byte) {
		for _, said := range transcript.Says(part, "user").Said {
			if said.Who == "" || said.Text == "" {
				t.Errorf("%+v", said)
			}
		}
	})
}
