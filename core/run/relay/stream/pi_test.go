package stream

import (
	"testing"

	"cupola/core"
)

const (
	piStart   = `{"type":"session","version":3,"id":"01a2","cwd":"/src"}`
	piStarted = `{"type":"message_start","message":{"role":"assistant","content":[]}}`
	piCalled  = `{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"I look."},` +
		`{"type":"toolCall","id":"1","name":"bash","arguments":{}}],"model":"m","stopReason":"toolUse",` +
		`"usage":{"input":10,"output":2,"cacheRead":3,"cost":{"total":0.5}}}}`
	piAnswered = `{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"Done."}],` +
		`"model":"m","stopReason":"stop","usage":{"input":20,"output":4,"cost":{"total":0.25}}}}`
	piFailed = `{"type":"message_end","message":{"role":"assistant","content":[],"stopReason":"error",` +
		`"errorMessage":"401: {\"message\":\"Incorrect API key\"}","usage":{}}}`
)

func piDelta(text string) string {
	return `{"type":"message_update","assistantMessageEvent":{"type":"text_delta","delta":"` + text + `"}}`
}

func TestPiAnswersAfterATool(t *testing.T) {
	h := says(t, "pi", piStart, piStarted, piDelta("I look."), piCalled,
		`{"type":"tool_execution_start","toolCallId":"1","toolName":"bash","args":{"command":"ls"}}`,
		`{"type":"tool_execution_end","toolCallId":"1","toolName":"bash","isError":true}`,
		piStarted, piDelta("Do"), piDelta("ne."), piAnswered, `{"type":"agent_settled","aborted":false}`)
	last := h.events[len(h.events)-1]
	if h.answer != "Done." || last.Type != Done || last.Session != "01a2" || last.Model != "m" || last.Stop != StopEnd {
		t.Errorf("%q, %+v", h.answer, last)
	}
	if u := h.usage; u.Input != 30 || u.Output != 6 || u.CacheRead != 3 || u.CostUSD == nil || *u.CostUSD != 0.75 {
		t.Errorf("it used %+v", u)
	}
}

func TestPiFailsUnlessItIsTriedAgain(t *testing.T) {
	h := says(t, "pi", piStart, piStarted, piFailed)
	if last := h.events[len(h.events)-1]; last.Type != Failed || last.Code != core.AuthFailed {
		t.Errorf("%+v", last)
	}
	h = says(t, "pi", piStart, piStarted, piFailed, `{"type":"auto_retry_start","attempt":1,"errorMessage":"529"}`,
		piStarted, piDelta("Done."), piAnswered)
	if last := h.events[len(h.events)-1]; last.Type != Done || h.answer != "Done." {
		t.Errorf("%+v", last)
	}
	if n := statusIn("Retry failed after 3 attempts: 429: {}"); n != 429 {
		t.Errorf("the status is %d", n)
	}
}
