package transcript_test

import "testing"

// piRecord is a session of pi's: a turn with a tool, and one that failed.
var piRecord = []string{
	`{"type":"session","version":3,"id":"01a2","timestamp":"2026-01-31T12:00:00.000Z","cwd":"/src/api"}`,
	`{"type":"message","id":"a","timestamp":"2026-01-31T12:00:00.500Z","message":{"role":"system","content":""}}`,
	`{"type":"message","id":"b","timestamp":"2026-01-31T12:00:01.000Z","message":{"role":"user","content":` +
		`[{"type":"text","text":"write it"}]}}`,
	`{"type":"message","id":"c","timestamp":"2026-01-31T12:00:02.000Z","message":{"role":"assistant","content":` +
		`[{"type":"text","text":"I will."},{"type":"toolCall","id":"1","name":"write","arguments":{"path":"a.txt",` +
		`"content":"x"}}],"model":"m","stopReason":"toolUse","usage":{"totalTokens":900}}}`,
	`{"type":"message","id":"d","timestamp":"2026-01-31T12:00:03.000Z","message":{"role":"toolResult","toolCallId":` +
		`"1","toolName":"write","content":[{"type":"text","text":"wrote"}],"isError":false}}`,
	`{"type":"message","id":"e","timestamp":"2026-01-31T12:00:04.000Z","message":{"role":"assistant","content":` +
		`[{"type":"text","text":"All done."}],"model":"m","stopReason":"stop","usage":{"totalTokens":950}}}`,
}

const piPath = ".pi/agent/sessions/--src-api--/2026-01-31T12-00-00-000Z_01a2.jsonl"

func TestPiSaysHowItsTurnEnded(t *testing.T) {
	ask := `{"type":"message","id":"f","timestamp":"2026-01-31T12:00:05.000Z","message":{"role":"user","content":"more"}}`
	end := func(stop, errorMessage string) string {
		return `{"type":"message","id":"g","timestamp":"2026-01-31T12:00:06.000Z","message":{"role":"assistant",` +
			`"content":[],"stopReason":"` + stop + `","errorMessage":"` + errorMessage + `"}}`
	}
	a := newHome(t, "pi")
	a.put(t, piPath, piRecord...)
	result := a.read(t)
	turn := result.Turn
	if turn.Message != "All done." || !turn.Complete || turn.Prompt != "write it" || len(turn.Tools) != 1 ||
		!turn.Tools[0].Done || len(turn.Tools[0].Files) != 1 {
		t.Errorf("the turn is %+v", turn)
	}
	if result.Session != "01a2" || result.Usage.Tokens != 950 || result.Model != "m" {
		t.Errorf("it says %+v", result)
	}
	a.put(t, piPath, append(piRecord[:6:6], ask, end("error", "401"))...)
	if turn := a.read(t).Turn; turn.Failed != "401" || turn.Complete || turn.Prompt != "more" {
		t.Errorf("a turn that failed is %+v", turn)
	}
	a.put(t, piPath, append(piRecord[:6:6], ask, end("aborted", "Operation aborted"))...)
	if turn := a.read(t).Turn; !turn.Interrupted || turn.Failed != "" {
		t.Errorf("a turn that was interrupted is %+v", turn)
	}
	a.Session = "01a2"
	a.Dir = "/elsewhere"
	if a.read(t).Session != "01a2" {
		t.Error("a session is not found from another folder")
	}
}
