package form

import (
	"strconv"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/verb/agents"
	"cupola/tui/intent"
)

// Queue asks for a prompt to queue for an agent, or for another text of a queued one.
func Queue(w intent.AskQueue) *Form {
	f := &Form{
		title: "Queue for " + w.Target.Address, verb: "queue",
		fields: []field{area("", "Your prompt; Enter on an empty last line queues it", w.Text)},
		says:   "It is delivered once the agent is idle, after those before it.",
		make: func(values []string) (intent.Intent, string) {
			text := strings.TrimRight(values[0], "\n")
			switch {
			case strings.TrimSpace(text) == "":
				return nil, "There is nothing to queue yet."
			case w.ID != "":
				return act(w.Target, agents.QueueIn{Msg: text, Edit: w.ID}), ""
			}
			return act(w.Target, agents.QueueIn{Msg: text, Command: isCommand(text)}), ""
		},
	}
	if w.ID != "" {
		f.title, f.verb = "Change a prompt that waits for "+w.Target.Address, "change"
		f.says = "One that may have arrived is sent again with this text."
	}
	return f
}

// The choices for how long a rule holds, and how often it may be used; the first are the usual ones.
var (
	ruleSpans = []string{"1h", "15m", "4h", "24h"}
	ruleTimes = []string{"20", "1", "5", "100"}
)

// Rule asks for a rule that approves a command of an agent, or of those of a session, by itself.
func Rule(w intent.AskRule) *Form {
	f := &Form{title: "Let a rule approve commands of " + w.Target.Address, verb: "make the rule", quick: true}
	offered, label := rulesFor(w.Runs), "Command"
	if len(offered) > 0 {
		f.fields = append(f.fields, pick(label, offered...))
		label = "Or"
	}
	f.fields = append(f.fields, line(label, `one command, or its first words and *: go test *`, ""),
		pick("For", ruleSpans...), pick("Times", ruleTimes...))
	f.says = "It approves what the agent's hook or protocol proves to be this command, and nothing else. " +
		"With * the agent chooses all further words. Each use is counted and shown."
	if w.Runs != "" && len(offered) == 0 {
		f.says = "It asks to run more than a rule may approve: " + core.Excerpt(w.Runs) + ". " + f.says
	}
	f.make = func(values []string) (intent.Intent, string) {
		span, times := values[len(values)-2], values[len(values)-1]
		allow := strings.TrimSpace(values[len(values)-3])
		if allow == "" && len(offered) > 0 {
			allow = values[0]
		}
		if err := core.CheckRule(allow); err != nil {
			return nil, errorText(err)
		}
		in := agents.AnswerIn{Allow: allow}
		in.For, _ = time.ParseDuration(span) // of the choices
		in.Times, _ = strconv.Atoi(times)
		return act(w.Target, in), ""
	}
	return f
}

// rulesFor are the rules that would approve a command: exactly it, and those of its first words, the most words first.
func rulesFor(command string) (rules []string) {
	if command == "" {
		return nil
	}
	words := strings.Split(command, " ")
	for n := len(words); n >= 2; n-- {
		allow := strings.Join(words[:n], " ")
		if n < len(words) {
			allow += " *"
		}
		if core.CheckRule(allow) == nil {
			rules = append(rules, allow)
		}
	}
	if len(words) == 1 && core.CheckRule(command) == nil {
		rules = append(rules, command)
	}
	return rules[:min(len(rules), 5)]
}
