package acp

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"cupola/core/system/process/child"
)

// written keeps what a client sends to its agent.
type written struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *written) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(text)
}

func (w *written) Close() error { return nil }

func (w *written) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// said is an update of the session in which a turn runs.
func said(update string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` + update + `}}`
}

// asks is a request for permission.
func asks(id, options string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"session/request_permission","params":{"sessionId":"s",` +
		`"toolCall":{"toolCallId":"t","title":"x"},"options":` + options + `}}`
}

const once = `[{"optionId":"y","name":"Yes","kind":"allow_once"}]`

// hostile are lines of an agent in the middle of a turn, with the update and the answer that each leads to.
var hostile = []struct {
	name, lines string
	told        string
	answered    string
}{
	{"no JSON", "Update available!", "no message", ""},
	{"half a message", `{"jsonrpc":"2.0","method":`, "no message", ""},
	{"a list", "[1,2,3]", "no message", ""},
	{"an answer to nothing", `{"jsonrpc":"2.0","id":99999,"result":{}}`, "not made", ""},
	{"an answer with a name", `{"jsonrpc":"2.0","id":"x","result":{}}`, "not made", ""},
	{
		"a request for a file", `{"jsonrpc":"2.0","id":7,"method":"fs/read_text_file","params":{"path":"/etc/passwd"}}`,
		"", `"code":-32601`,
	},
	{
		"a file to write", `{"jsonrpc":"2.0","id":8,"method":"fs/write_text_file","params":{"path":"/x","content":"y"}}`,
		"", `"code":-32601`,
	},
	{"a terminal", `{"jsonrpc":"2.0","id":9,"method":"terminal/create","params":{}}`, "", `"code":-32601`},
	{"an unknown notification", `{"jsonrpc":"2.0","method":"weather","params":{}}`, "weather", ""},
	{"an unknown update", said(`{"sessionUpdate":"moon_phase","text":"full"}`), "moon_phase", ""},
	{"an update of no kind", said(`7`), "", ""},
	{"wrong types", said(`{"sessionUpdate":["plan"],"entries":7,"used":"many","content":"x","cost":[]}`), "", ""},
	{"another session", strings.Replace(said(`{"sessionUpdate":"plan"}`), `"s"`, `"other"`, 1), "another session", ""},
	{"huge numbers", said(`{"sessionUpdate":"usage_update","used":9223372036854775807,"size":9223372036854775807,` +
		`"cost":{"amount":-1e300}}`), "", ""},
	{"negative numbers", said(`{"sessionUpdate":"usage_update","used":-5,"size":-1}`), "", ""},
	{"numbers beyond any", said(`{"sessionUpdate":"usage_update","used":1e400,"size":1e400}`), "", ""},
	{"escape sequences", said(`{"sessionUpdate":"tool_call","toolCallId":"\u001b]0;t\u0007","title":"\u001b[2Jgone",` +
		`"kind":"\u001b[31m"}`), "", ""},
	{"a call without an id", said(`{"sessionUpdate":"tool_call","title":"x"}`), "without an id", ""},
	{"calls of one id", said(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"a"}`) + "\n" +
		said(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"b","status":"exploded"}`), "", ""},
	{"a request without options", asks("11", "[]"), "cannot be given", `"cancelled"`},
	{"options without ids", asks("12", `[{"name":"Yes","kind":"allow_once"}]`), "cannot be given", `"cancelled"`},
	{"requests of one id", asks("13", once) + "\n" + asks("13", once), "", `"cancelled"`},
	{"many requests", strings.Repeat(asks("14", once)+"\n", maxAsks+5), "too many", `"cancelled"`},
	{
		"text that runs backwards", asks("15", `[{"optionId":"n","name":"\u202eseY\u202c","kind":"reject_once"}]`),
		"", `"cancelled"`,
	},
	{
		"a request outside its session", strings.Replace(asks("16", once), `"s"`, `"other"`, 1),
		"another session", `"cancelled"`,
	},
	{"a request without an id", strings.Replace(asks("0", once), `"id":0,`, "", 1), "session/request_permission", ""},
	{"a request whose id is a list", asks("[1,2]", once), "", ""},
	{"thousands of options", asks("17", "["+strings.Repeat(`{"optionId":"y","name":"Yes","kind":"allow_always"},`, 5000)+
		`{"optionId":"n","name":"No","kind":"reject_once"}]`), "", `"cancelled"`},
	{"a plan without an end", said(`{"sessionUpdate":"plan","entries":[` +
		strings.Repeat(`{"content":"\u001b[2Jstep","status":"done"},`, 20_000) + `{}]}`), "", ""},
	{"thousands of commands", said(`{"sessionUpdate":"available_commands_update","availableCommands":[` +
		strings.Repeat(`{"name":"a b\u0000/../c","description":"\u001b]8;;x\u0007"},`, 5000) + `{}]}`), "", ""},
	{
		"one field twice", `{"jsonrpc":"2.0","id":18,"id":99999,"method":"fs/read_text_file","result":{},"result":7}`,
		"", "",
	},
	{"a mode that there is not", said(`{"sessionUpdate":"current_mode_update","currentModeId":"\u001b[31mroot"}`), "", ""},
	{"thousands of open calls", strings.Repeat(said(`{"sessionUpdate":"tool_call","toolCallId":"a","title":"x",`+
		`"content":[{"type":"diff","path":"/\u001b","oldText":"a","newText":"b"}]}`)+"\n", 3000), "", ""},
	{"letters that are no UTF-8", said(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"` +
		"\xff\xfe\x1b[31m" + `"}}`), "", ""},
	{"an error and a result", `{"jsonrpc":"2.0","id":99998,"result":{},"error":{"code":1e99,"message":["x"]}}`, "", ""},
	{"deep nesting", said(strings.Repeat(`{"content":`, 5000) + "1" + strings.Repeat("}", 5000)), "", ""},
}

// control are characters that no event may pass on, but those in the text of messages.
var control = regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f\x{202a}-\x{202e}\x{2066}-\x{2069}]`)

// TestAHostileAgentEndsInATruthfulState goes over what an agent may print in the middle of a turn: the turn still ends
// as the agent says, the next one runs, and the updates that are passed on are bounded and safe.
func TestAHostileAgentEndsInATruthfulState(t *testing.T) {
	for _, test := range hostile {
		t.Run(test.name, func(t *testing.T) {
			var got []Event
			out := &written{}
			c := newClient(&Options{Program: "x"}, out, func(e Event) { got = append(got, e) })
			c.stop = func() {}
			c.talk.id, c.talk.opened = "s", true
			for range 2 {
				number, sent, err := c.Prompt("x")
				if err != nil || !sent {
					t.Fatalf("prompt %d: %t, %v", number, sent, err)
				}
				c.talk.conn.Take([]byte(test.lines + "\n"))
				const end = `{"jsonrpc":"2.0","id":%d,"result":{"stopReason":"end_turn"}}` + "\n"
				c.talk.conn.Take(fmt.Appendf(nil, end, number))
			}
			c.talk.conn.CloseOutput()
			<-c.talk.conn.Written()
			c.gone(&child.End{}, nil)
			<-c.Done()
			ends, told := 0, ""
			for _, e := range got {
				switch e.Type {
				case Ended:
					ends++
					if e.Stop != EndTurn || e.Err != nil || e.Usage.Window < 0 || e.Usage.Window > mostTokens ||
						e.Usage.Size < 0 || e.Usage.Size > mostTokens || e.Usage.CostUSD != nil {
						t.Errorf("it ended as %+v with %+v", e, e.Usage)
					}
				case Called:
					told += e.Call.ID + e.Call.Title + e.Call.Kind + string(e.Call.Status)
				}
				told += e.Text + "\n"
				for _, step := range e.Plan {
					told += step.Text + step.Status
				}
				for _, command := range e.Commands {
					told += command.Name + command.Help + command.Hint
				}
				if e.Ask != nil {
					for _, option := range e.Ask.Options {
						told += option.Name + option.Kind
					}
				}
			}
			if ends != 2 || !strings.Contains(told, test.told) || control.MatchString(told) {
				t.Errorf("%d turns ended, and it told %q", ends, told)
			}
			if !strings.Contains(out.String(), test.answered) {
				t.Errorf("it was answered %s", out)
			}
			if len(c.Asks()) > 0 || c.Turn() != 0 {
				t.Errorf("left open: %+v", c.Asks())
			}
		})
	}
	if len(hostile) < 36 {
		t.Errorf("%d tries", len(hostile))
	}
}
