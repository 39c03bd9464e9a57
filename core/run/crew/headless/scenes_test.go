//go:build agents

package headless_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/run/crew"
	"cupola/core/run/relay"
)

// TestCrewsOfRealAgents has real agents talk to each other. What they say is the script's.
func TestCrewsOfRealAgents(t *testing.T) {
	w := newWorld(t)
	for _, all := range []map[string]scene{talks, guarded, failing, launched} {
		for _, name := range slices.Sorted(maps.Keys(all)) {
			s := all[name]
			t.Run(name, func(t *testing.T) { w.play(t, &s) })
		}
	}
}

// talks are crews that are done.
var talks = map[string]scene{
	"converges with messages both ways": {
		backends: "claude codex gemini opencode", reason: crew.Converged,
		says: [][]say{
			text("I read it.\n@bo.critic: Is the lock held?", "@user: It is held."),
			text("Nothing yet.", "@ada.lead: It is, since line 40."),
			text("@di.writer: Which file?", "It is store.go.", "unasked"),
			text("Nothing yet.", "@cy.tester: store.go"),
		},
		want: []string{
			"0 note ada.lead I read it.", "0 message ada.lead bo.critic Is the lock held?",
			"1 message bo.critic ada.lead It is, since line 40.", "1 message di.writer cy.tester store.go",
			"2 message ada.lead user It is held.", "2 note cy.tester It is store.go.", "2 crew_end converged",
		},
		check: func(t *testing.T, p *play) {
			if told := p.told("bo.critic", 1); told != "@ada.lead says: Is the lock held?" {
				t.Errorf("the critic was told %q", told)
			}
			if told := p.told("cy.tester", 1); told != "@di.writer says: store.go" {
				t.Errorf("the tester was told %q", told)
			}
		},
	},
	"two more kinds converge": {
		backends: "copilot qwen", reason: crew.Converged,
		says: [][]say{
			text("@bo.critic: Is the lock held?", "@user: It is held."),
			text("Nothing yet.", "@ada.lead: It is, since line 40."),
		},
		want: []string{"1 message bo.critic ada.lead It is, since line 40.", "2 message ada.lead user It is held."},
	},
	"five hear what one says to all": {
		backends: "claude codex gemini opencode claude", reason: crew.Converged,
		says: [][]say{
			text("@all: Who is free?", "@all: Enough."),
			text("Nothing yet.", "@ada.lead: bo is.", "It is over."),
			text("Nothing yet.", "@ada.lead: cy is.", "It is over."),
			text("Nothing yet.", "@ada.lead: di is.", "It is over."),
			text("Nothing yet.", "@ada.lead: ed is.", "It is over."),
		},
		want: []string{
			"0 message ada.lead all Who is free?", "1 message bo.critic ada.lead bo is.",
			"1 message ed.scout ada.lead ed is.", "2 message ada.lead all Enough.", "3 note ed.scout It is over.",
		},
		never: []string{"0 message ada.lead ada.lead"},
		check: func(t *testing.T, p *play) {
			want := "@bo.critic says: bo is.\n\n@cy.tester says: cy is.\n\n@di.writer says: di is.\n\n" +
				"@ed.scout says: ed is."
			if told := p.told("ada.lead", 1); told != want {
				t.Errorf("the lead was told %q", told)
			}
		},
	},
	"an unknown name comes back": {
		backends: "gemini claude", reason: crew.Converged,
		says: [][]say{
			text("@bob.critic: Is the lock held?", "@bo.critic: Is the lock held?", "Good."),
			text("Nothing yet.", "@ada.lead: It is."),
		},
		want: []string{
			`0 guardrail ada.lead unknown_name no agent is named "bob.critic"`,
			"0 message crew ada.lead No member of this",
			"1 message ada.lead bo.critic Is the lock held?", "2 message bo.critic ada.lead It is.",
		},
	},
	"a fence that is never closed hides nothing": {
		backends: "opencode codex", reason: crew.Converged,
		says: [][]say{
			text("```go\n@bo.critic: hidden\n```go\n@bo.critic: hidden\n```\n```go\n" +
				"@bo.critic: Is this right?"),
			text("Nothing yet.", "It is."),
		},
		want:  []string{"0 message ada.lead bo.critic Is this right?", "1 note bo.critic It is."},
		never: []string{"0 message ada.lead bo.critic hidden"},
	},
	"a message of a megabyte is cut": {
		backends: "claude codex gemini opencode", reason: crew.Converged,
		says: [][]say{
			text("@bo.critic:\n"+megabyte("w"), "Read."), text("@cy.tester:\n"+megabyte("x"), "Read."),
			text("@all:\n"+megabyte("y"), "Read.", "Read."),
			// OpenCode may end before its pipe has taken an answer of this size.
			text("Nothing yet.", "Read."),
		},
		want: []string{
			"1 guardrail ada.lead bo.critic message_size", "1 guardrail bo.critic cy.tester message_size",
			"1 guardrail cy.tester ada.lead message_size", "1 guardrail cy.tester di.writer message_size",
			"1 note ada.lead Read.", "1 note bo.critic Read.", "1 note cy.tester Read.", "1 note di.writer Read.",
		},
		check: func(t *testing.T, p *play) {
			for i, from := range []string{"cy.tester", "ada.lead", "bo.critic", "cy.tester"} {
				_, told, _ := strings.Cut(p.told(names[i], 1), "@"+from+" says: ")
				told, _, cut := strings.Cut(told, "\n[The message was cut here: ")
				if len(told) != 50_000 || !cut {
					t.Errorf("%s was told %d bytes by %s: %.20s", names[i], len(told), from, told)
				}
			}
		},
	},
}

// megabyte is a text of a megabyte, in lines of a thousand: no two are the same, for Gemini ends one that repeats
// itself.
func megabyte(letter string) string {
	var b strings.Builder
	random := rand.New(rand.NewPCG(1, uint64(letter[0])))
	for range 1049 {
		for range 15 {
			fmt.Fprintf(&b, "%s%063x", letter, random.Uint64())
		}
		b.WriteString("\n")
	}
	return b.String()
}

// guarded are crews that a guardrail ends.
var guarded = map[string]scene{
	"ends at max_turns": {
		backends: "claude gemini codex", reason: crew.MaxTurns,
		limits: func(l *crew.Limits) { l.MaxTurns = 3 },
		says: [][]say{
			text("@bo.critic: go on {n}"), text("@cy.tester: go on {n}"), text("@ada.lead: go on {n}"),
		},
		want:  []string{"3 message cy.tester ada.lead go on 3", "3 guardrail max_turns", "3 crew_end max_turns"},
		never: []string{"4 "},
		check: func(t *testing.T, p *play) {
			if told := p.told("bo.critic", 3); !strings.HasPrefix(told, "[This is the final turn.") {
				t.Errorf("the critic was told %q at the end", told)
			}
		},
	},
	"ends an endless ping-pong": {
		backends: "claude codex", reason: crew.PingPong,
		limits: func(l *crew.Limits) { l.PingPong = 4 },
		says: [][]say{
			text("@bo.critic: again {n}"), text("Nothing yet.", "@ada.lead: again {n}"),
		},
		want:  []string{"3 guardrail ping_pong", "4 guardrail ping_pong", "4 crew_end ping_pong"},
		never: []string{"5 "},
	},
	"ends a ping-pong beside others": {
		backends: "gemini opencode claude", reason: crew.PingPong,
		limits: func(l *crew.Limits) { l.PingPong = 3 },
		says: [][]say{
			text("@bo.critic: again {n}"), text("@ada.lead: again {n}"), text("@ada.lead: I am done."),
		},
		want:  []string{"0 message cy.tester ada.lead I am done.", "4 crew_end ping_pong"},
		never: []string{"5 "},
	},
	"ends one that talks to itself": {
		backends: "codex gemini", reason: crew.PingPong,
		limits: func(l *crew.Limits) { l.PingPong = 3 },
		says:   [][]say{text("@ada.lead: remember {n}"), text("Nothing yet.")},
		want:   []string{"1 message ada.lead ada.lead remember 1", "3 crew_end ping_pong"},
		never:  []string{"4 "},
	},
	"ends without progress": {
		backends: "claude codex gemini", reason: crew.NoProgress,
		says: [][]say{text("@bo.critic: Go on."), text("@cy.tester: Go on."), text("@ada.lead: Go on.")},
		want: []string{"2 guardrail no_progress", "2 crew_end no_progress"}, never: []string{"3 "},
	},
	"ends at its cost": {
		backends: "claude opencode", reason: crew.Cost,
		limits: func(l *crew.Limits) { l.CostUSD = 0.000_01 },
		says:   [][]say{text("@bo.critic: go on {n}"), text("@ada.lead: go on {n}")},
		want:   []string{"0 guardrail cost it cost $", "0 crew_end cost"}, never: []string{"1 "},
		check: func(t *testing.T, p *play) {
			if m := p.Member("ada.lead"); m.CostUSD <= 0 || !m.CostKnown || m.Used == nil {
				t.Errorf("Claude cost $%g, known is %t, used %v", m.CostUSD, m.CostKnown, m.Used)
			}
		},
	},
	"ends in time": {
		backends: "claude codex gemini opencode", reason: crew.Timeout,
		limits: func(l *crew.Limits) { l.Timeout = 15 * time.Second },
		says: [][]say{
			{{Text: megabyte("a"), Slow: 300}},
			{{Text: megabyte("a"), Slow: 300}},
			{{Text: megabyte("a"), Slow: 300}},
			{{Text: megabyte("a"), Slow: 300}},
		},
		want: []string{"0 guardrail timeout its time of 15s", "0 crew_end timeout"}, never: []string{"0 error"},
		check: func(t *testing.T, p *play) {
			if p.took > 22*time.Second || slices.ContainsFunc(p.Members, func(m crew.Member) bool {
				return m.Status != crew.Idle
			}) {
				t.Errorf("it took %s, and its members are %v", p.took, p.Members)
			}
		},
	},
}

// failing are crews with members that fail.
var failing = map[string]scene{
	"goes on without one that dies": {
		backends: "claude codex gemini opencode", reason: crew.Converged,
		says: [][]say{
			text("@bo.critic: Is the lock held?", "@cy.tester: Then you say it.", "@user: It is held."),
			{{Text: "@cy.tester: wait for me"}, {Error: 401}},
			text("@bo.critic: Who waits?", "@bo.critic: Are you there?", "@ada.lead: It is held."),
			text("Nothing yet."),
		},
		want: []string{
			"1 error bo.critic", "1 agent_status bo.critic dead", "1 guardrail cy.tester bo.critic dead_member",
			"1 message crew ada.lead bo.critic failed", "1 message crew cy.tester bo.critic failed",
			"3 message ada.lead user It is held.",
		},
		check: func(t *testing.T, p *play) {
			if code := p.code("bo.critic"); code != core.AuthFailed {
				t.Errorf("the critic failed with %s", code)
			}
		},
	},
	"goes on without one whose model is broken": {
		backends: "gemini opencode claude", reason: crew.Converged,
		limits: func(l *crew.Limits) { l.TurnTimeout = 45 * time.Second },
		says: [][]say{
			text("@bo.critic: Is the lock held?", "@user: Nobody knows."),
			{{Text: "Nothing yet."}, {Error: 500}},
			text("@ada.lead: I am done."),
		},
		want: []string{"1 error bo.critic", "2 message ada.lead user Nobody knows."},
	},
	"fails when all are dead": {
		backends: "claude codex gemini opencode", reason: crew.AllDead,
		says: [][]say{{{Error: 401}}, {{Error: 401}}, {{Error: 401}}, {{Error: 401}}},
		want: []string{"0 error ada.lead", "0 error di.writer", "0 crew_end all_dead"},
		check: func(t *testing.T, p *play) {
			for _, m := range p.Members {
				if p.State != crew.Failed || p.ErrorCode != core.AuthFailed || m.ErrorCode != core.AuthFailed {
					t.Errorf("%s failed with %s: %s", m.Name, m.ErrorCode, m.Error)
				}
			}
		},
	},
	"goes on with those that lost their conversation": {
		backends: "claude codex gemini opencode", reason: crew.NoProgress, lose: true,
		// In a new conversation the fake model gives the first answer again.
		says: [][]say{
			text("@bo.critic: I begin."), text("@cy.tester: I begin."), text("@di.writer: I begin."),
			text("@ada.lead: I begin."),
		},
		limits: func(l *crew.Limits) { l.NoProgress = 1 },
		want:   []string{"1 message di.writer ada.lead I begin.", "1 crew_end no_progress"},
		never:  []string{"1 error"},
		check: func(t *testing.T, p *play) {
			for i, name := range names[:4] {
				said := "@" + names[(i+3)%4] + " says: I begin."
				if !slices.ContainsFunc(p.heard, func(h heard) bool {
					return h.Member == name && strings.Contains(h.Prompt, "one agent of a crew") &&
						strings.Contains(h.Prompt, said)
				}) {
					t.Errorf("%s was not told again who it is", name)
				}
			}
		},
	},
	"goes on without one that is late": {
		backends: "claude codex gemini opencode", reason: crew.Converged,
		limits: func(l *crew.Limits) { l.TurnTimeout = 45 * time.Second },
		says: [][]say{
			text("@all: Go.", "@user: Three are late."),
			{{Text: "Yes."}, {Text: megabyte("a"), Slow: 300}},
			{{Text: "Yes."}, {Text: megabyte("a"), Slow: 300}},
			{{Text: "Yes."}, {Text: megabyte("a"), Slow: 300}},
		},
		want: []string{
			"1 error bo.critic", "1 error cy.tester", "1 error di.writer", "2 message ada.lead user Three are late.",
		},
		check: func(t *testing.T, p *play) {
			for _, name := range names[1:4] {
				if code := p.code(name); code != core.Timeout {
					t.Errorf("%s failed with %s", name, code)
				}
			}
		},
	},
}

// launched are crews whose members must be launched in the same way in every turn.
var launched = map[string]scene{
	"nobody writes in a later turn of a crew that reads": {
		backends: "claude codex gemini opencode", sandbox: relay.ReadOnly, reason: crew.Converged,
		models: "claude-haiku-4-5 gpt-6-luna gemini-2.5-flash mock/mock-model",
		says:   writers, check: func(t *testing.T, p *play) { sameLaunch(t, p, nil) },
	},
	"all write in a later turn of a crew that may": {
		backends: "claude codex gemini opencode", sandbox: relay.WorkspaceWrite, reason: crew.Converged,
		models: "claude-haiku-4-5 gpt-6-luna gemini-2.5-flash mock/mock-model",
		says:   writers, check: func(t *testing.T, p *play) { sameLaunch(t, p, names[:4]) },
	},
}

// writers write a file each in their second turn.
var writers = [][]say{
	{{Text: "@all: Go."}, {Mock: "tool-edit `{dir}/ada.lead`"}},
	{{Text: "@ada.lead: Go."}, {Mock: "tool-edit `{dir}/bo.critic`"}},
	{{Text: "Nothing yet."}, {Mock: "tool-edit `{dir}/cy.tester`"}},
	{{Text: "Nothing yet."}, {Mock: "tool-edit `{dir}/di.writer`"}},
}

// sameLaunch sees that both turns of all members had the same model, sandbox and directory, and who wrote.
func sameLaunch(t *testing.T, p *play, wrote []string) {
	t.Helper()
	for _, m := range p.Members {
		plans := p.plans.all[m.Name]
		if len(plans) != 2 {
			t.Errorf("%s had %d turns", m.Name, len(plans))
			continue
		}
		first, second := plans[0], plans[1]
		if first.Session != "" || second.Session == "" || second.Session != m.Session {
			t.Errorf("%s began in conversation %q and went on in %q", m.Name, first.Session, second.Session)
		}
		if second.Model != m.Model || second.Sandbox != relay.Sandbox(p.Sandbox) || second.Dir != p.dir {
			t.Errorf("%s went on with model %s in %s, %s", m.Name, second.Model, second.Dir, second.Sandbox)
		}
		for _, arg := range first.Argv {
			if !slices.Contains(second.Argv, arg) {
				t.Errorf("%s went on without %q: %q", m.Name, arg, second.Argv)
			}
		}
		if a, b := first.Set["OPENCODE_PERMISSION"], second.Set["OPENCODE_PERMISSION"]; a != b {
			t.Errorf("%s went on with permission %q in place of %q", m.Name, b, a)
		}
		_, model, slash := strings.Cut(m.Model, "/")
		if !slash {
			model = m.Model
		}
		if n := len(p.heard); !slices.ContainsFunc(p.heard, func(h heard) bool {
			return h.Member == m.Name && h.Turn == 1 && strings.Contains(h.Model, model)
		}) {
			t.Errorf("%s did not ask %s in its second turn; %d requests", m.Name, model, n)
		}
		_, err := os.Stat(filepath.Join(p.dir, m.Name))
		if may := slices.Contains(wrote, m.Name); may != (err == nil) {
			t.Errorf("%s wrote is %t", m.Name, err == nil)
		}
	}
}
