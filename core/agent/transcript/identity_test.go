package transcript_test

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/agent/transcript"
	"cupola/core/system/process"
)

// The sessions of the cases: an agent begins with first; second and third are others.
const (
	first  = "11111111-aaaa-4000-8000-000000000001"
	second = "22222222-bbbb-4000-8000-000000000002"
	third  = "33333333-cccc-4000-8000-000000000003"
	child  = "44444444-dddd-4000-8000-000000000004"
)

// keeping is an agent's home in which sessions are put on record, as its kind does. Times are minutes after began.
type keeping struct {
	*at
	t     *testing.T
	began time.Time
	db    *sql.DB
	lines map[string][]string
	taken []core.TakenPrompt
	rows  int
}

func keep(t *testing.T, kind core.Kind) *keeping {
	t.Helper()
	k := &keeping{at: newHome(t, kind), t: t, began: time.Now().Add(-time.Hour), lines: map[string][]string{}}
	k.Started = k.began
	k.Asked = func() []core.TakenPrompt { return k.taken }
	if kind == "gemini" {
		putGeminiRoot(t, k.at)
	}
	if kind != "opencode" {
		return k
	}
	path := k.put(t, ".local/share/opencode/opencode.db")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	k.db = db
	k.exec(`pragma synchronous = off`)
	k.exec(`create table session (id text primary key, directory text, parent_id text, time_updated integer)`)
	k.exec(`create table message (id text, session_id text, time_created integer, time_updated integer, data text)`)
	k.exec(`create table part (id text, message_id text, session_id text, data text)`)
	return k
}

func (k *keeping) exec(query string, args ...any) {
	k.t.Helper()
	if _, err := k.db.Exec(query, args...); err != nil {
		k.t.Fatal(err)
	}
}

// when is some minutes after the agent was started.
func (k *keeping) when(minutes int) time.Time {
	return k.began.Add(time.Duration(minutes) * time.Minute)
}

// path returns the path of a session's record.
func (k *keeping) path(session string, spawned bool) string {
	switch k.Kind {
	case "claude":
		if spawned {
			session = "agent-" + session
		}
		return ".claude/projects/-src-api/" + session + ".jsonl"
	case "codex":
		return ".codex/sessions/2026/11/20/rollout-2026-11-20T21-28-54-" + session + ".jsonl"
	case "gemini":
		return ".gemini/tmp/api/chats/session-2026-11-20T21-28-" + session[:8] + ".jsonl"
	case "qwen":
		return ".qwen/projects/-src-api/chats/" + session + ".jsonl"
	case "copilot":
		return ".copilot/session-state/" + session + "/events.jsonl"
	}
	return ".local/share/opencode/opencode.db"
}

// full is the path of the record of a session, from the root.
func (k *keeping) full(session string) string { return filepath.Join(k.home, k.path(session, false)) }

// say records a prompt and its answer.
func (k *keeping) say(session string, minutes int, prompt string) {
	k.record(session, "", minutes, prompt)
}

// record records a prompt and its answer in a session, which is a sub-agent's if it has a parent.
func (k *keeping) record(session, parent string, minutes int, prompt string) {
	k.t.Helper()
	at := k.when(minutes)
	if k.db != nil {
		k.rows++
		id := fmt.Sprintf("%s %03d", session, k.rows)
		k.exec(`insert into session values (?, '/src/api', ?, ?) on conflict do update set time_updated = excluded.time_updated`,
			session, sql.NullString{String: parent, Valid: parent != ""}, at.UnixMilli())
		k.exec(`insert into message values (?, ?, ?, 0, '{"role":"user"}')`, id, session, at.UnixMilli())
		k.exec(`insert into part values (?, ?, ?, json_object('type', 'text', 'text', ?))`, id, id, session, prompt)
		return
	}
	lines := k.turn(at, prompt)
	switch {
	case parent == "":
	case k.Kind == "copilot", k.Kind == "qwen":
		// Sub-agents write to the record of their agent, or nothing.
		session, parent = parent, ""
		for i := range lines {
			lines[i] = `{"agentId":"a","isSidechain":true,` + lines[i][1:]
		}
	}
	path := k.path(session, parent != "")
	if len(k.lines[path]) == 0 {
		k.lines[path] = k.heading(session, parent, at)
	}
	k.lines[path] = append(k.lines[path], lines...)
	full := k.put(k.t, path, k.lines[path]...)
	if err := os.Chtimes(full, at, at); err != nil {
		k.t.Fatal(err)
	}
}

// heading is the beginning of a record.
func (k *keeping) heading(session, parent string, at time.Time) []string {
	stamp := at.UTC().Format(time.RFC3339Nano)
	switch k.Kind {
	case "codex":
		if parent != "" {
			return []string{
				`{"type":"session_meta","payload":{"session_id":"` + parent + `","id":"` + session +
					`","parent_thread_id":"` + parent + `","cwd":"/src/api","thread_source":"subagent"}}`,
				`{"type":"session_meta","payload":{"session_id":"` + parent + `","id":"` + parent + `","cwd":"/src/api"}}`,
			}
		}
		return []string{`{"type":"session_meta","payload":{"session_id":"` + session + `","id":"` + session +
			`","timestamp":"` + stamp + `","cwd":"/src/api","source":"cli","thread_source":"user"}}`}
	case "gemini":
		kind := "main"
		if parent != "" {
			kind = "subagent"
		}
		return []string{`{"sessionId":"` + session + `","startTime":"` + stamp + `","kind":"` + kind + `"}`}
	case "copilot":
		return []string{`{"type":"session.start","data":{"sessionId":"` + session + `","startTime":"` + stamp + `","context":{"cwd":"/src/api"}}}`}
	}
	return nil
}

// turn are the lines of a prompt and its answer.
func (k *keeping) turn(at time.Time, prompt string) []string {
	stamp := at.UTC().Format(time.RFC3339Nano)
	text, err := json.Marshal(prompt)
	if err != nil {
		k.t.Fatal(err)
	}
	formats := map[core.Kind][]string{
		"claude": {
			`{"type":"user","timestamp":"%s","message":{"content":%s}}`,
			`{"type":"assistant","timestamp":"%s","message":{"id":"m","content":"Yes to "%.0s,"stop_reason":"end_turn"}}`,
		},
		"codex": {
			`{"timestamp":"%s","type":"event_msg","payload":{"type":"task_started"%.0s}}`,
			`{"timestamp":"%s","type":"event_msg","payload":{"type":"user_message","message":%s}}`,
			`{"timestamp":"%s","type":"event_msg","payload":{"type":"task_complete","last_agent_message":"Yes."%.0s}}`,
		},
		"gemini": {
			`{"type":"user","timestamp":"%s","content":[{"text":%s}]}`,
			`{"type":"gemini","timestamp":"%s","content":"Yes."%.0s}`,
		},
		"qwen": {
			`{"type":"user","timestamp":"%s","message":{"parts":[{"text":%s}]}}`,
			`{"type":"assistant","timestamp":"%s","message":{"parts":[{"text":"Yes."}]}%.0s}`,
		},
		"copilot": {
			`{"type":"user.message","timestamp":"%s","data":{"content":%s}}`,
			`{"type":"assistant.message","timestamp":"%s","data":{"content":"Yes."}%.0s}`,
		},
	}
	var lines []string
	for _, format := range formats[k.Kind] {
		lines = append(lines, fmt.Sprintf(format, stamp, text))
	}
	return lines
}

// send is a prompt that Cupola sent; the agent took it.
func (k *keeping) send(minutes int, prompt string) {
	k.taken = append([]core.TakenPrompt{{Text: prompt, Sent: k.when(minutes)}}, k.taken...)
}

// ask sends a prompt, which the agent records in a session.
func (k *keeping) ask(session string, minutes int, prompt string) {
	k.send(minutes, prompt)
	k.say(session, minutes, prompt)
}

// hook reports a session, as the agent's hook does.
func (k *keeping) hook(session string, minutes int) { k.Session, k.Named = session, k.when(minutes) }

// shows sets the lines of the screen, from the top.
func (k *keeping) shows(rows ...string) {
	k.Shown = func(prompts []string) (at []int) {
		for _, prompt := range prompts {
			at = append(at, slices.Index(rows, prompt))
		}
		return at
	}
}

// draws sets the text that the screen shows above the composer, if one is drawn.
func (k *keeping) draws(words string, composed bool) {
	k.Screen = func() (string, bool) { return words, composed }
}

// beside lets other agents work in the folder.
func (k *keeping) beside(peers ...transcript.Subject) {
	k.Peers = func() (found []*transcript.Subject) {
		for i := range peers {
			peers[i].Kind, peers[i].Dir, peers[i].Env, peers[i].Started = k.Kind, k.Dir, k.Env, k.Started
			found = append(found, peers[i].Shared())
		}
		return found
	}
}

// took records a prompt of another agent.
func (k *keeping) took(minutes int, prompt string) func() []core.TakenPrompt {
	return func() []core.TakenPrompt { return []core.TakenPrompt{{Text: prompt, Sent: k.when(minutes)}} }
}

// conversations are all ways in which agents come to a conversation. The wanted session is certain unless it begins
// with "?"; "new" is a conversation that is not on record, "none" is that nothing is known.
var conversations = map[string]struct {
	when func(*keeping)
	want string
	// open is the expected result where the agent holds its records open, if that is another.
	open string
}{
	"asked once": {func(k *keeping) { k.ask(first, 1, "look at the parser") }, first, ""},
	"the prompt is not on record yet": {func(k *keeping) {
		k.ask(first, 1, "look at the parser")
		k.send(2, "and now the printer")
	}, first, ""},
	"a command of its own since": {func(k *keeping) {
		k.ask(first, 1, "look at the parser")
		k.send(2, "/compact")
	}, first, ""},
	"asked after it was compacted": {func(k *keeping) {
		k.ask(first, 1, "look at the parser")
		k.send(2, "/compact")
		k.ask(first, 3, "and now the printer")
	}, first, ""},
	"new, and asked": {func(k *keeping) {
		k.ask(first, 1, "look at the parser")
		k.send(2, "/new")
		k.ask(second, 3, "look at the printer")
	}, second, ""},
	"new twice, and asked each time": {func(k *keeping) {
		k.ask(first, 1, "look at the parser")
		k.send(2, "/clear")
		k.ask(second, 3, "look at the parser")
		k.send(4, "/clear")
		k.ask(third, 5, "look at the parser")
	}, third, ""},
	"result to begin a new one, and nothing shows that it did": {func(k *keeping) {
		k.ask(first, 1, "look at the parser")
		k.send(2, "/clear")
	}, "?" + first, ""},
	"result to begin a new one, and its screen shows the one before": {func(k *keeping) {
		k.ask(first, 1, "look at the parser")
		k.send(2, "/clear")
		k.draws("Welcome  > look at  the parser", true)
	}, "?" + first, ""},
	"result to begin a new one, and its composer is not drawn": {func(k *keeping) {
		k.ask(first, 1, "look at the parser")
		k.send(2, "/clear")
		k.draws("", false)
	}, "?" + first, ""},
	"new, and not asked yet": {func(k *keeping) {
		k.ask(first, 1, "look at the parser")
		k.send(2, "/clear")
		k.draws("Welcome to the agent", true)
	}, "new", ""},
	"result to begin a new one, and it still names the one before": {func(k *keeping) {
		k.ask(first, 1, "look at the parser")
		k.send(2, "/clear")
		k.Session, k.Now = first, k.when(2).Add(time.Second)
		k.draws("Welcome to the agent", true)
	}, "?" + first, ""},
	"result to begin a new one, and it goes on naming the one before": {func(k *keeping) {
		k.ask(first, 1, "look at the parser")
		k.send(2, "/clear")
		k.Session, k.Now = first, k.when(3)
	}, first, ""},
	"result to begin a new one, and it named the one before when it left it": {func(k *keeping) {
		k.ask(first, 1, "look at the parser")
		k.send(2, "/clear")
		k.hook(first, 2)
		k.draws("Welcome to the agent", true)
	}, "new", ""},
	"result to begin a new one, and it names another": {func(k *keeping) {
		k.ask(first, 1, "look at the parser")
		k.send(2, "/clear")
		k.Session, k.Now = second, k.when(2).Add(time.Second)
	}, "new", ""},
	"result to begin a new one, after it was result before": {func(k *keeping) {
		k.ask(first, 1, "look at the parser")
		k.send(2, "/clear")
		k.send(3, "/clear")
	}, "?" + first, ""},
	"result to begin a new one before it was asked anything": {func(k *keeping) { k.send(2, "/clear") }, "new", ""},
	"new, and its prompt is not on record yet": {func(k *keeping) {
		k.ask(first, 1, "look at the parser")
		k.send(2, "/clear")
		k.send(3, "look at the printer")
	}, "none", ""},
	"new, and asked by the user": {func(k *keeping) {
		k.ask(first, 1, "look at the parser")
		k.send(2, "/clear")
		k.say(second, 3, "typed by hand")
	}, second, ""},
	"new was given up, and it was asked on": {func(k *keeping) {
		k.ask(first, 1, "look at the parser")
		k.send(2, "/new")
		k.say(first, 3, "typed by hand")
	}, first, ""},
	"new and asked, both by the user": {func(k *keeping) {
		k.ask(first, 1, "look at the parser")
		k.say(second, 3, "typed by hand")
	}, "?" + first + " " + second, second},
	"new and asked, both by the user, as its screen shows": {func(k *keeping) {
		k.ask(first, 1, "look at the parser")
		k.say(second, 3, "typed by hand")
		k.shows("typed by hand")
	}, second, ""},
	"two agents, and it has started a new one by hand": {func(k *keeping) {
		k.ask(first, 1, "look at the parser")
		k.say(second, 2, "look at the parser")
		k.say(third, 3, "typed by hand")
		k.beside(transcript.Subject{Asked: k.took(1, "look at the parser"), Launched: second})
	}, "?" + first + " " + third, ""},
	"asked on, as its screen shows, while another one wrote": {func(k *keeping) {
		k.ask(first, 1, "look at the parser")
		k.say(second, 3, "somebody else's")
		k.shows("look at the parser")
	}, first, ""},
	"asked on, where its screen may show another text": {func(k *keeping) {
		k.ask(first, 1, "look at the parser")
		k.say(second, 3, strings.Repeat("a long prompt ", 20))
		k.shows("look at the parser")
	}, "?" + first + " " + second, ""},
	"new by the user, as its hook reports": {func(k *keeping) {
		k.ask(first, 1, "look at the parser")
		k.hook(second, 2)
	}, "new", ""},
	"new and asked, both by the user, as its hook reports": {func(k *keeping) {
		k.ask(first, 1, "look at the parser")
		k.hook(second, 3)
		k.say(second, 3, "typed by hand")
	}, second, ""},
	"its hook reported before it was asked": {func(k *keeping) {
		k.hook(first, 1)
		k.ask(second, 3, "look at the printer")
	}, second, ""},
	"another one wrote, and it has gone on since": {func(k *keeping) {
		k.ask(first, 1, "look at the parser")
		k.say(second, 2, "somebody else's")
		k.say(first, 3, "typed by hand")
	}, first, ""},
	"started with a session, and not asked": {func(k *keeping) {
		k.say(first, -9, "long ago")
		k.say(second, -8, "long ago too")
		k.Launched = first
	}, first, ""},
	"started with a session, and asked": {func(k *keeping) {
		k.say(first, -9, "long ago")
		k.Launched = first
		k.ask(first, 1, "go on")
	}, first, ""},
	"started with a session that is not on record": {func(k *keeping) {
		k.say(second, -8, "long ago")
		k.Launched = first
	}, first, second},
	"result to resume, and asked": {func(k *keeping) {
		k.say(second, -9, "long ago")
		k.ask(first, 1, "look at the parser")
		k.send(2, "/resume")
		k.ask(second, 3, "go on")
	}, second, ""},
	"result to resume, and not asked": {func(k *keeping) {
		k.ask(first, 1, "look at the parser")
		k.send(2, "/resume")
	}, "?" + first, ""},
	"result to resume, and asked by the user": {func(k *keeping) {
		k.say(second, -9, "long ago")
		k.ask(first, 1, "look at the parser")
		k.send(2, "/resume")
		k.say(second, 3, "typed by hand")
	}, second, ""},
	"forked, and asked": {func(k *keeping) {
		k.ask(first, 1, "look at the parser")
		k.send(2, "/fork")
		k.say(second, 2, "look at the parser")
		k.ask(second, 3, "and now the printer")
	}, second, ""},
	"forked by the user": {func(k *keeping) {
		k.ask(first, 1, "look at the parser")
		k.say(second, 9, "look at the parser")
	}, "?" + second + " " + first, second},
	"a sub-agent works": {func(k *keeping) {
		k.ask(first, 1, "count the files")
		k.record(child, first, 2, "count them")
	}, first, ""},
	"a sub-agent was given the prompt itself": {func(k *keeping) {
		k.ask(first, 1, "count the files")
		k.record(child, first, 2, "count the files")
	}, first, ""},
	"several sub-agents, and asked since": {func(k *keeping) {
		k.ask(first, 1, "count the files")
		k.record(child, first, 2, "count them")
		k.record(third, first, 3, "count them again")
		k.ask(first, 4, "and now?")
		k.record(third, first, 5, "count them again")
	}, first, ""},
	"a sub-agent's session is what its hook reports": {func(k *keeping) {
		k.ask(first, 1, "count the files")
		k.record(child, first, 2, "count them")
		if k.Kind != "copilot" && k.Kind != "qwen" {
			k.hook(child, 3)
		}
	}, first, ""},
	"two agents, each with its own prompt": {func(k *keeping) {
		k.ask(first, 1, "look at the parser")
		k.say(second, 2, "look at the printer")
		k.beside(transcript.Subject{Asked: k.took(2, "look at the printer")})
	}, first, ""},
	"two agents with the same prompt": {func(k *keeping) {
		k.ask(first, 1, "look at the parser")
		k.say(second, 2, "look at the parser")
		k.beside(transcript.Subject{Asked: k.took(1, "look at the parser")})
	}, "?" + second + " " + first, ""},
	"two agents with the same prompt, one known by its start": {func(k *keeping) {
		k.ask(first, 1, "look at the parser")
		k.say(second, 1, "look at the parser")
		k.beside(transcript.Subject{Asked: k.took(1, "look at the parser"), Launched: second})
	}, first, ""},
	"two agents, of which the other has started a new one": {func(k *keeping) {
		k.Launched = first
		k.ask(first, 1, "look at the parser")
		k.say(second, 2, "somebody else's")
		k.say(third, 4, "look at the printer")
		k.beside(transcript.Subject{Asked: k.took(4, "look at the printer"), Launched: second})
	}, "?" + first + " " + second, ""},
	"its conversation goes on in another agent": {func(k *keeping) {
		k.ask(first, 1, "look at the parser")
		k.say(first, 2, "look at the printer")
		k.beside(transcript.Subject{Asked: k.took(2, "look at the printer"), Launched: first})
	}, first, ""},
	"never asked, and the only one": {func(k *keeping) { k.say(first, 1, "typed by hand") }, first, ""},
	"never asked, and one of two": {func(k *keeping) {
		k.say(first, 1, "typed by hand")
		k.say(second, 2, "typed by hand too")
	}, "?" + second + " " + first, second},
	"never asked, beside another": {func(k *keeping) {
		k.say(first, 1, "typed by hand")
		k.beside(transcript.Subject{})
	}, "?" + first, ""},
}

func TestTheConversationOfAnAgentIsFoundByTheNewestEvidence(t *testing.T) {
	for _, kind := range []core.Kind{"claude", "codex", "gemini", "qwen", "copilot", "opencode"} {
		for name, c := range conversations {
			t.Run(string(kind)+"/"+name, func(t *testing.T) {
				k := keep(t, kind)
				c.when(k)
				found, err := transcript.Identify(t.Context(), &k.Subject)
				if got := described(&found); err != nil || got != c.want {
					t.Errorf("%q, not %q: %v, because %s", got, c.want, err, found.Why)
				}
				result, err := transcript.Read(t.Context(), &k.Subject)
				if err != nil && (!errors.Is(err, transcript.ErrNone) || found.Path != "") ||
					described(&result.Identity) != described(&found) {
					t.Errorf("read as %+v, %v", result.Identity, err)
				}
				if strings.HasPrefix(result.Turn.Prompt, "count them") {
					t.Errorf("the turn of a sub-agent was read: %+v", result.Turn)
				}
			})
		}
	}
}

func TestARunningQwenNamesItsSessionInAFile(t *testing.T) {
	k := keep(t, "qwen")
	k.say(second, -9, "long ago")
	k.ask(first, 1, "look at the parser")
	file := func(start int) {
		k.put(t, ".qwen/sessions/7.json", fmt.Sprintf(`{"pid":7,"procStart":"boot:%d","sessionId":%q}`, start, second))
	}
	file(1)
	k.Processes = []process.Proc{{PID: 6, Start: 3}, {PID: 7, Start: 5}}
	if found, err := transcript.Identify(t.Context(), &k.Subject); err != nil || described(&found) != first {
		t.Errorf("the file of an earlier process: %+v, %v", found, err)
	}
	file(5)
	if found, err := transcript.Identify(t.Context(), &k.Subject); err != nil || described(&found) != second {
		t.Errorf("its own file: %+v, %v", found, err)
	}
}

func TestAForkOfWhichOnlyTheBeginningIsOnRecordIsTheAgents(t *testing.T) {
	for _, kind := range []core.Kind{"codex", "copilot", "gemini"} {
		k := keep(t, kind)
		k.ask(first, 1, "look at the parser")
		k.send(2, "/fork")
		k.put(t, k.path(second, false), k.heading(second, "", k.when(3))...)
		found, err := transcript.Identify(t.Context(), &k.Subject)
		if got := described(&found); err != nil || got != second {
			t.Errorf("%s: %q, %v", kind, got, err)
		}
		k.Open = []string{k.full(first), k.full(second)}
		if found, err = transcript.Identify(t.Context(), &k.Subject); described(&found) != second || err != nil {
			t.Errorf("%s, open: %+v, %v", kind, found, err)
		}
	}
}

// described names the sessions of an identity as conversations does.
func described(found *transcript.Identity) string {
	switch {
	case found.New:
		return "new"
	case found.Certain:
		return found.Session
	case found.Path == "":
		return "none"
	}
	var fits []string
	for _, fit := range found.Fits {
		fits = append(fits, fit.Session)
	}
	return "?" + strings.Join(fits, " ")
}

// Codex holds its rollouts open, those of conversations that it has left and of sub-agents too.
func TestAmongRecordsThatAreOpenTheNewestEvidenceDecides(t *testing.T) {
	for name, c := range conversations {
		if strings.Contains(name, "agents") || strings.Contains(name, "another") || strings.Contains(name, "on, ") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			k := keep(t, "codex")
			c.when(k)
			for _, session := range []string{child, third, second, first} {
				if _, err := os.Stat(k.full(session)); err == nil {
					k.Open = append(k.Open, k.full(session))
				}
			}
			want := c.want
			if c.open != "" {
				want = c.open
			}
			found, err := transcript.Identify(t.Context(), &k.Subject)
			if got := described(&found); err != nil || got != want {
				t.Errorf("%q, not %q: %v, because %s", got, want, err, found.Why)
			}
		})
	}
}

func TestTheCommandThatBeganAConversationIsNoTurnOfClaudes(t *testing.T) {
	k := keep(t, "claude")
	k.say(first, 1, "<command-name>/clear</command-name>\n<command-message>clear</command-message>")
	if result := k.read(t); result.Turn.Prompt != "" || result.Session != first {
		t.Errorf("%+v", result)
	}
}
