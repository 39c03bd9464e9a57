//go:build agents

package fleet_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/fleet/conversation"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/resolve"
)

// TestRealAgentsAreAnswered lets real agents ask, and answers them.
func TestRealAgentsAreAnswered(t *testing.T) {
	for _, kind := range allKinds {
		t.Run(kind, func(t *testing.T) {
			r := duty{hire(t, kind)}
			defer func() { t.Logf("\n%s", strings.Join(r.tally, "\n")) }()
			r.start(t)
			r.approved(t)
			r.edited(t)
			r.denied(t)
			r.deniesWithWords(t)
			if kind != "qwen" || newest() { // older versions do not know the model's question
				r.chosen(t)
				r.own(t)
			}
			if kind == "qwen" && newest() { // it asks before it starts a sub-agent
				r.ask(t, "tool-agent "+fleettest.Token())
				r.answer(t, "a sub-agent", deliver.AnswerRequest{Act: core.ActApprove, Expect: core.ReasonApproval})
				r.settle(t)
			}
			if kind == "opencode" {
				r.always(t)
			}
			if kind == "claude" {
				r.planned(t)
			}
		})
	}
}

// duty is an agent that asks and is restarted.
type duty struct{ *hired }

var one = resolve.Target{Session: "real.1"}

// ask sends a prompt and waits until the agent asks.
func (r duty) ask(t *testing.T, prompt string) {
	t.Helper()
	if sent, err := r.Sender.Send(t.Context(),
		deliver.Request{Target: one, Text: prompt, Command: strings.HasPrefix(prompt, "/")}); err != nil {
		t.Fatalf("%+v, %v\n%s", sent.Deliveries, err, r.screen(t))
	}
	r.wait(t, "asking", func() bool { return r.state(t).State == core.Waiting })
}

// answer answers and notes what was seen.
func (r duty) answer(t *testing.T, what string, request deliver.AnswerRequest) deliver.Answered {
	t.Helper()
	request.Target = one
	answers, err := r.Sender.Answer(t.Context(), request)
	if err != nil || len(answers) != 1 {
		t.Fatalf("%s: %+v, %v\n%s", what, answers, err, r.screen(t))
	}
	a := answers[0]
	r.tally = append(r.tally, fmt.Sprintf("%-9s %-16s %s of %d, keys %q, resolved %v, then %s: %s",
		r.kind, what, a.Chosen, len(a.Options), a.Keys, a.Resolved, a.After.State, strings.Join(a.Evidence, "; ")))
	return a
}

// asksFor is a prompt that makes the agent ask for a command, and the file that
// the command makes.
func (r duty) asksFor() (prompt, made string) {
	mark := fleettest.Token()
	made = filepath.Join(r.dir, mark)
	return fmt.Sprintf("tool-bash `touch %s` %s", made, mark), made
}

func (r duty) approved(t *testing.T) {
	t.Helper()
	prompt, made := r.asksFor()
	r.ask(t, prompt)
	if _, err := r.Sender.Answer(t.Context(),
		deliver.AnswerRequest{
			Target: one, Act: core.ActApprove,
			Expect: core.ReasonPlan,
		}); !core.AsError(err).HasCode(core.Conflict) {
		t.Errorf("expecting a plan: %v", err)
	}
	if a := r.answer(t, "approve",
		deliver.AnswerRequest{
			Act: core.ActApprove, Expect: core.ReasonApproval,
			Showing: filepath.Base(made),
		}); !a.Resolved {
		t.Errorf("%+v\n%s", a, r.screen(t))
	}
	r.settle(t)
	if _, err := os.Stat(made); err != nil {
		t.Errorf("the command did not run: %v\n%s", err, r.screen(t))
	}
	r.said(t, prompt)
}

// newest reports whether the agents are of the newer set of the harness.
func newest() bool { return os.Getenv("REAL_AGENTS_SET") == "newest" }

// edited approves that a file is written.
func (r duty) edited(t *testing.T) {
	t.Helper()
	made := filepath.Join(r.dir, fleettest.Token())
	r.ask(t, "tool-edit `"+made+"`")
	r.answer(t, "approve an edit", deliver.AnswerRequest{
		Act: core.ActApprove, Expect: core.ReasonApproval, Showing: filepath.Base(made),
	})
	r.settle(t)
	if _, err := os.Stat(made); err != nil {
		t.Errorf("the file was not written: %v\n%s", err, r.screen(t))
	}
}

func (r duty) denied(t *testing.T) {
	t.Helper()
	prompt, made := r.asksFor()
	r.ask(t, prompt)
	r.answer(t, "deny", deliver.AnswerRequest{Act: core.ActDeny, Expect: core.ReasonApproval})
	r.settle(t)
	if _, err := os.Stat(made); err == nil {
		t.Error("the command ran")
	}
}

// deniesWithWords denies with words, which arrive as a prompt.
func (r duty) deniesWithWords(t *testing.T) {
	t.Helper()
	prompt, made := r.asksFor()
	r.ask(t, prompt)
	words := fleettest.Token()
	a := r.answer(t, "text, denied", deliver.AnswerRequest{Act: core.ActSay, Text: "hello " + words})
	if a.Delivery != nil {
		r.wait(t, "told", func() bool { return len(r.harness.Received(t, words)) > 0 })
	}
	r.settle(t)
	if _, err := os.Stat(made); err == nil {
		t.Error("the command ran")
	}
	if r.kind == "copilot" { // its dialog has a field for them
		if a.Delivery != nil || !strings.Contains(r.screen(t), words) {
			t.Errorf("the words are not there: %+v\n%s", a, r.screen(t))
		}
		return
	}
	if got := r.harness.Received(t, words); len(got) != 1 || a.Delivery == nil {
		t.Errorf("the model got %q; %+v, %+v\n%s", got, a, a.Delivery, r.screen(t))
	}
}

// question makes the agent ask a question with options; Codex does so in plan
// mode only.
func (r duty) question(t *testing.T) {
	t.Helper()
	prompt := "tool-ask " + fleettest.Token()
	if r.kind == "codex" {
		prompt = "/plan " + prompt
	}
	r.ask(t, prompt)
	r.wait(t, "asking a question", func() bool { return r.state(t).Reason == core.ReasonQuestion })
}

func (r duty) chosen(t *testing.T) {
	t.Helper()
	r.question(t)
	if _, err := r.Sender.Answer(t.Context(),
		deliver.AnswerRequest{Target: one, Act: core.ActApprove}); !core.AsError(err).HasCode(core.Conflict) {
		t.Errorf("approving a question: %v", err)
	}
	a := r.answer(t, "choose 2", deliver.AnswerRequest{Act: core.ActChoose, N: 2, Expect: core.ReasonQuestion})
	if a.Chosen != "SQLite" {
		t.Errorf("%+v", a)
	}
	r.settle(t)
	if !strings.Contains(r.screen(t), "SQLite") {
		t.Errorf("it was not answered\n%s", r.screen(t))
	}
}

// own answers a question in words of one's own.
func (r duty) own(t *testing.T) {
	t.Helper()
	r.question(t)
	words := "neither " + fleettest.Token()
	r.answer(t, "text", deliver.AnswerRequest{Act: core.ActSay, Text: words})
	r.settle(t)
	if !strings.Contains(r.screen(t), words) {
		t.Errorf("the words are not there\n%s", r.screen(t))
	}
}

// always takes the option that OpenCode confirms in a second step.
func (r duty) always(t *testing.T) {
	t.Helper()
	prompt, made := r.asksFor()
	r.ask(t, prompt)
	if a := r.answer(t, "always", deliver.AnswerRequest{Act: core.ActChoose, N: 2}); !a.Resolved ||
		a.Chosen != "Allow always" {
		t.Errorf("%+v\n%s", a, r.screen(t))
	}
	r.settle(t)
	if _, err := os.Stat(made); err != nil {
		t.Errorf("the command did not run: %v", err)
	}
}

// planned rejects and approves a plan.
func (r duty) planned(t *testing.T) {
	t.Helper()
	r.press(t, "BTab")
	r.wait(t, "accepting edits", func() bool { return strings.Contains(r.screen(t), "accept edits on") })
	r.press(t, "BTab")
	r.wait(t, "in plan mode", func() bool { return strings.Contains(r.screen(t), "plan mode on") })
	r.ask(t, "tool-plan "+fleettest.Token())
	r.answer(t, "deny the plan", deliver.AnswerRequest{Act: core.ActDeny, Expect: core.ReasonPlan})
	r.settle(t)
	r.ask(t, "tool-plan "+fleettest.Token())
	r.answer(t, "approve the plan", deliver.AnswerRequest{Act: core.ActApprove, Expect: core.ReasonPlan})
	r.settle(t)
}

// said checks the agent's last message and the context that it has used.
func (r duty) said(t *testing.T, prompt string) {
	t.Helper()
	var reply conversation.Reply
	r.wait(t, "complete", func() bool {
		replies, err := r.Conversations.Replies(t.Context(), one)
		if err != nil || len(replies) != 1 {
			t.Fatalf("%+v, %v", replies, err)
		}
		reply = replies[0]
		return reply.Complete
	})
	if reply.Source != conversation.FromTranscript || !reply.Complete ||
		!strings.HasPrefix(reply.Text, "The tool call finished.") || reply.Prompt != prompt ||
		len(reply.Tools) != 1 || !reply.Tools[0].Done {
		t.Errorf("%+v", reply)
	}
	uses, err := r.Conversations.ContextUsed(t.Context(), one)
	if err != nil || len(uses) != 1 || uses[0].Tokens == 0 || uses[0].Percent < 0 && r.kind != "qwen" {
		t.Fatalf("%+v, %v", uses, err)
	}
	r.tally = append(r.tally, fmt.Sprintf("%-9s %-16s %s, session %s, %d tool calls; context %d tokens, %d%% by %s: %s",
		r.kind, "reply, context", reply.Source, reply.Session, len(reply.Tools), uses[0].Tokens, uses[0].Percent,
		uses[0].Source, uses[0].Evidence))
}

// TestRealAgentsRestartWithTheirSession restarts real agents and asks them on.
func TestRealAgentsRestartWithTheirSession(t *testing.T) {
	for _, kind := range allKinds {
		t.Run(kind, func(t *testing.T) {
			r := duty{hire(t, kind)}
			defer func() { t.Logf("\n%s", strings.Join(r.tally, "\n")) }()
			r.start(t)
			before := r.restart(t, "alive", lifecycle.RestartRequest{})
			r.deliver(t, "after it", "hello TOKEN", core.Delivered)
			after := r.restart(t, "once more", lifecycle.RestartRequest{Smart: true})
			if before.Session == "" || after.Session != before.Session || after.Why != "idle" {
				t.Errorf("%+v, was %+v", after, before)
			}
			if fresh := r.restart(t, "fresh", lifecycle.RestartRequest{Fresh: true}); fresh.Session != "" {
				t.Errorf("%+v", fresh)
			}
			r.deliver(t, "after all", "hello TOKEN", core.Delivered)
		})
	}
}

func (r duty) restart(t *testing.T, what string, request lifecycle.RestartRequest) lifecycle.Restarted {
	t.Helper()
	request.Target = one
	answer, err := r.Launcher.Restart(t.Context(), request)
	if err != nil || len(answer) != 1 || !answer[0].Ready {
		t.Fatalf("%s: %+v, %v\n%s", what, answer, err, r.screen(t))
	}
	a := answer[0]
	r.tally = append(r.tally, fmt.Sprintf("%-9s restart %-10s %s; why %q, fresh %q, reaped %d, %v", r.kind, what,
		a.Command, a.Why, a.Fresh, a.Reaped, a.Evidence))
	return a
}
