package stream

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// says reads lines of a format whose run ended well.
func says(t testing.TB, format Format, lines ...string) heard {
	t.Helper()
	return hear(t, &recording{format: format, stdout: []byte(strings.Join(lines, "\n"))}, 0)
}

func claudeText(id, text string) string {
	return fmt.Sprintf(`{"type":"assistant","message":{"id":%q,"model":"m","content":[{"type":"text","text":%q}]}}`, id, text)
}

func claudeDelta(text string) string {
	return fmt.Sprintf(`{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"text_delta","text":%q}}}`,
		text)
}

const claudeStart = `{"type":"stream_event","event":{"type":"message_start","message":{"id":"%s"}}}`

func claudeResult(text string) string { return fmt.Sprintf(`{"type":"result","result":%q}`, text) }

func TestAShortMessageAfterALongOneIsKept(t *testing.T) {
	for name, test := range map[string]struct {
		lines  []string
		texts  []string
		answer string
	}{
		"a result that repeats the second": {
			lines:  []string{claudeText("1", "First long message"), claudeText("2", "Second"), claudeResult("Second")},
			texts:  []string{"First long message", "Second"},
			answer: "Second",
		},
		"a result that no message said": {
			lines:  []string{claudeText("1", "First long message"), claudeResult("Other")},
			texts:  []string{"First long message", "Other"},
			answer: "Other",
		},
		"a result that goes on": {
			lines:  []string{claudeText("1", "First"), claudeResult("First and more")},
			texts:  []string{"First and more"},
			answer: "First and more",
		},
		"pieces, then the same as a whole": {
			lines: []string{
				fmt.Sprintf(claudeStart, "1"), claudeDelta("Fir"), claudeDelta("st"), claudeText("1", "First"),
				fmt.Sprintf(claudeStart, "2"), claudeDelta("Se"), claudeText("2", "Second"), claudeResult("Second"),
			},
			texts:  []string{"First", "Second"},
			answer: "Second",
		},
		"blocks of one message, each whole": {
			lines:  []string{claudeText("1", "aa"), claudeText("1", "aa"), claudeText("1", "b"), claudeResult("aaaab")},
			texts:  []string{"aaaab"},
			answer: "aaaab",
		},
		"a message without text after the answer": {
			lines:  []string{claudeText("1", "First"), claudeText("2", ""), claudeResult("")},
			texts:  []string{"First"},
			answer: "First",
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := says(t, "claude", test.lines...)
			if got := texts(h.events); !slices.Equal(got, test.texts) || h.answer != test.answer {
				t.Errorf("the messages are %q and the answer is %q", got, h.answer)
			}
			if last := h.events[len(h.events)-1]; last.Type != Done {
				t.Errorf("the run is %s: %s", last.Type, last.Text)
			}
		})
	}
}

func TestAnErrorThatIsGivenAsTheAnswerIsNone(t *testing.T) {
	said := "[API Error: 401 Incorrect API key]"
	for version, result := range map[string]string{
		"0.15": claudeResult(said),
		"0.24": fmt.Sprintf(`{"type":"result","subtype":"error_during_execution","is_error":true,"error":{"message":%q}}`,
			said),
	} {
		h := says(t, "qwen", claudeText("1", said), result)
		last := h.events[len(h.events)-1]
		if last.Type != Failed || last.Text != "401 Incorrect API key" || h.answer != "" {
			t.Errorf("%s: the run is %s %q with the answer %q", version, last.Type, last.Text, h.answer)
		}
	}
	// A model that talks about such an error has used tokens.
	quoted := `{"type":"result","result":"[API Error: x]","usage":{"input_tokens":5,"output_tokens":3}}`
	if h := says(t, "qwen", claudeText("1", "[API Error: x]"), quoted); h.answer != "[API Error: x]" {
		t.Errorf("the answer is %q", h.answer)
	}
}

// A write that the backend refused, or that failed, is a warning: the answer may say that all is done.
func TestARefusedWriteIsAWarning(t *testing.T) {
	for format, lines := range map[string][]string{
		"codex": {
			`{"type":"item.completed","item":{"id":"1","type":"file_change","changes":[{"path":"a.go"}],"status":"failed"}}`,
			`{"type":"item.completed","item":{"id":"2","type":"command_execution","command":"rm a.go","status":"declined"}}`,
			`{"type":"item.completed","item":{"id":"3","type":"command_execution","command":"false","status":"failed"}}`,
		},
		"gemini": {
			`{"type":"tool_use","tool_name":"write_file","tool_id":"1","parameters":{}}`,
			`{"type":"tool_result","tool_id":"1","status":"error"}`,
			`{"type":"tool_use","tool_name":"replace","tool_id":"2","parameters":{}}`,
			`{"type":"tool_result","tool_id":"2","status":"error"}`,
			`{"type":"tool_use","tool_name":"read_file","tool_id":"3","parameters":{}}`,
			`{"type":"tool_result","tool_id":"3","status":"error"}`,
		},
	} {
		warnings := 0
		for _, event := range says(t, Format(format), lines...).events {
			if event.Type == Warning {
				warnings++
			}
		}
		if warnings != 2 {
			t.Errorf("%s gives %d warnings, not 2", format, warnings)
		}
	}
}

func TestAMessageThatGrowsIsReadOnce(t *testing.T) {
	item := `{"type":"item.%s","item":{"id":"1","type":"agent_message","text":%q}}`
	h := says(t, "codex", fmt.Sprintf(item, "started", "Fir"), fmt.Sprintf(item, "updated", "First"),
		fmt.Sprintf(item, "completed", "First"), `{"type":"turn.completed","usage":{"output_tokens":1}}`)
	if got := texts(h.events); !slices.Equal(got, []string{"First"}) || h.answer != "First" {
		t.Errorf("the messages are %q and the answer is %q", got, h.answer)
	}
}

func TestCharactersThatAreSplitStayWhole(t *testing.T) {
	text := "Grüße, 日本 👩‍👩‍👧"
	for format, stdout := range map[Format]string{
		Plain:    text,
		"claude": claudeText("1", text) + "\n" + claudeResult(text) + "\n",
		"ollama": fmt.Sprintf(`{"message":{"content":%q},"done":false}`+"\n"+`{"done":true}`, text),
		"openai": fmt.Sprintf(`data: {"choices":[{"delta":{"content":%q}}]}`+"\n\ndata: [DONE]\n\n", text),
	} {
		for size := 1; size < 12; size++ {
			h := hear(t, &recording{format: format, stdout: []byte(stdout), end: End{Exit: 0}}, size)
			if h.answer != text {
				t.Errorf("%s in pieces of %d bytes is %q", format, size, h.answer)
			}
		}
	}
}

func TestAStreamWithoutItsEndFailed(t *testing.T) {
	for format, lines := range map[Format]string{
		"claude":   claudeText("1", "half"),
		"codex":    `{"type":"item.completed","item":{"id":"1","type":"agent_message","text":"half"}}`,
		"gemini":   `{"type":"message","role":"assistant","content":"half","delta":true}`,
		"opencode": `{"type":"text","part":{"messageID":"1","text":"half"}}`,
		"copilot":  `{"type":"assistant.message","data":{"messageId":"1","content":"half"}}`,
		"pi":       `{"type":"message_update","assistantMessageEvent":{"type":"text_delta","delta":"half"}}`,
		"ollama":   `{"message":{"content":"half"},"done":false}`,
		"openai":   `data: {"choices":[{"delta":{"content":"half"}}]}`,
	} {
		h := says(t, format, lines)
		if last := h.events[len(h.events)-1]; last.Type != Failed || last.Text != "Stream ended unexpectedly" {
			t.Errorf("%s: the run is %s %q", format, last.Type, last.Text)
		}
		if h.answer != "half" {
			t.Errorf("%s: what came is %q", format, h.answer)
		}
	}
}

func TestServersSayWhatWentWrong(t *testing.T) {
	for name, test := range map[string]struct {
		format Format
		body   string
		says   string
		answer string
	}{
		"ollama error": {"ollama", `{"error":"no such model"}`, "Stream error: no such model", ""},
		"openai error": {"openai", `data: {"error": {"message": "busy"}}`, `Stream error: {"message":"busy"}`, ""},
		"openai plain": {"openai", `{"error": {"message": "busy"}}`, `Stream error: {"message":"busy"}`, ""},
		"error in the way": {
			"openai", `data: {"choices":[{"delta":{"content":"a"}}]}` + "\n\ndata: {\"error\":\"x\"}\n\ndata: [DONE]",
			`Stream error: "x"`, "a",
		},
		"text at the end": {"ollama", `{"message":{"content":"a"},"done":true}`, "", "a"},
		"comments, fields": {
			"openai", ": hi\nevent: x\nid: 1\nretry: 5\n" +
				`data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}`, "", "a",
		},
		"others' choices": {
			"openai", `data: {"choices":[{"index":1,"delta":{"content":"b"}},{"delta":{"content":"a"}}]}` +
				"\ndata: [DONE]", "", "a",
		},
		"not JSON in a way": {"ollama", "<html>\n" + `{"message":{"content":"a"},"done":true}`, "", "a"},
	} {
		t.Run(name, func(t *testing.T) {
			h := hear(t, &recording{format: test.format, stdout: []byte(test.body), end: End{Exit: -1}}, 0)
			last := h.events[len(h.events)-1]
			if (last.Type == Failed) != (test.says != "") || last.Text != test.says || h.answer != test.answer {
				t.Errorf("the run is %s %q, the answer %q", last.Type, last.Text, h.answer)
			}
		})
	}
}

func TestALineThatIsTooLongIsLeftOut(t *testing.T) {
	h := says(t, "claude", strings.Repeat("x", maxLine+1), claudeText("1", "ok"), claudeResult("ok"))
	if h.answer != "ok" || h.events[0].Type != Warning {
		t.Errorf("the answer is %q after %v", h.answer, h.events[0])
	}
}

// FuzzReaders holds every reader to what callers rely on, whatever is printed and however it is cut:
// one event ends the stream, texts are valid UTF-8, and where it is cut changes nothing.
func FuzzReaders(f *testing.F) {
	for _, seed := range []string{
		claudeText("1", "a") + "\n" + claudeResult("ab"), fmt.Sprintf(claudeStart, "1") + "\n" + claudeDelta("é"),
		`[{"type":"result","result":"x","is_error":true,"errors":["e"]}]`,
		`{"type":"item.completed","item":{"id":"1","type":"agent_message","text":"half"}}` + "\n" + `{"type":"turn.completed"}`,
		`{"type":"message","role":"assistant","content":"half","delta":true}`, "{\n \"response\": \"x\"\n}",
		`{"type":"text","part":{"messageID":"1","text":"half"}}`, `{"type":"step_finish","part":{"reason":"stop"}}`,
		`{"type":"assistant.message","data":{"messageId":"1","content":"half"}}`, `{"type":"result","exitCode":1}`,
		`{"message":{"content":"half"},"done":true}`, "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\r\n\r\ndata: [DONE]",
		"\xff\xfe", "\xf0\x9f", `{"type":"result","usage":{"input_tokens":"many"}}`,
	} {
		f.Add([]byte(seed), uint8(3), 0)
	}
	f.Fuzz(func(t *testing.T, printed []byte, size uint8, exit int) {
		for format := range formats {
			one := &recording{format: format, stdout: printed, end: End{Exit: exit}}
			whole, pieces := hear(t, one, 0), hear(t, one, int(size)+1)
			for i, event := range whole.events {
				if last := i == len(whole.events)-1; last != (event.Type == Done || event.Type == Failed) {
					t.Fatalf("%s: event %d of %d is %s", format, i+1, len(whole.events), event.Type)
				}
				if !utf8.ValidString(event.Text) {
					t.Fatalf("%s: %q is no UTF-8", format, event.Text)
				}
			}
			if got, want := pieces.summary(""), whole.summary(""); got != want {
				t.Fatalf("%s: in pieces of %d bytes\n%s\nis not\n%s", format, size+1, got, want)
			}
		}
	})
}

func TestAnEndDoesNotUndoAFailure(t *testing.T) {
	h := says(t, "ollama", `{"error":"boom"}`, `{"done":true}`)
	if last := h.events[len(h.events)-1]; last.Type != Failed || last.Text != "Stream error: boom" {
		t.Errorf("the run is %s %q", last.Type, last.Text)
	}
}

func TestAServerThatDoesNotStreamIsRead(t *testing.T) {
	h := says(t, "openai", `{"model":"m","choices":[{"message":{"content":"All."},"finish_reason":"stop"}]}`)
	if last := h.events[len(h.events)-1]; last.Type != Done || h.answer != "All." {
		t.Errorf("the run is %s %q with the answer %q", last.Type, last.Text, h.answer)
	}
}
