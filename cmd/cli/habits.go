package cli

import (
	"slices"
	"strings"

	"cupola/robot/registry"
)

// habit is a word that people and agents bring along from other programs, such as
// tmux, docker, kubectl and git, and what stands for it here, the best first.
type habit struct{ word, here string }

var verbHabits = [...]habit{
	{"abort", "interrupt kill"},
	{"accept", "answer"},
	{"agents", "status"},
	{"allow", "answer"},
	{"approve", "answer"},
	{"ask", "send"},
	{"attach-session", "attach"},
	{"await", "wait"},
	{"cancel", "interrupt"},
	{"capture", "tail"},
	{"capture-pane", "tail"},
	{"cat", "tail"},
	{"chat", "send"},
	{"check", "health doctor"},
	{"checkpoints", "checkpoint-list"},
	{"connect", "attach"},
	{"cost", "tokens budget"},
	{"create", "spawn"},
	{"debug", "diagnose explain"},
	{"delete", "kill"},
	{"deny", "answer"},
	{"describe", "inspect-pane"},
	{"destroy", "kill"},
	{"end", "kill"},
	{"enter", "attach"},
	{"events", "watch summary"},
	{"exec", "send spawn"},
	{"follow", "watch monitor"},
	{"get", "status"},
	{"gui", "dashboard"},
	{"info", "inspect-pane status"},
	{"init", "setup"},
	{"input", "send keys"},
	{"inspect", "inspect-pane"},
	{"join", "attach wait"},
	{"kill-pane", "kill"},
	{"kill-server", "kill"},
	{"kill-session", "kill"},
	{"last", "reply"},
	{"launch", "spawn"},
	{"limits", "quota-check"},
	{"list", "status"},
	{"list-panes", "status"},
	{"list-sessions", "status"},
	{"listen", "watch"},
	{"log", "history tail"},
	{"logs", "tail history"},
	{"ls", "status"},
	{"message", "send reply"},
	{"messages", "history reply"},
	{"models", "tools accounts-list"},
	{"msg", "send"},
	{"new", "spawn"},
	{"new-session", "spawn"},
	{"new-window", "add"},
	{"open", "attach dashboard"},
	{"output", "tail reply"},
	{"panes", "status"},
	{"pause", "interrupt"},
	{"press", "keys"},
	{"prompt", "send"},
	{"ps", "status"},
	{"query", "send status"},
	{"quit", "kill"},
	{"read", "reply tail"},
	{"reject", "answer"},
	{"remove", "kill"},
	{"respawn-pane", "restart-pane"},
	{"response", "reply"},
	{"restart", "restart-pane smart-restart"},
	{"result", "reply"},
	{"resume", "restore smart-restart"},
	{"rm", "kill"},
	{"run", "spawn send"},
	{"say", "send"},
	{"send-keys", "keys send"},
	{"sessions", "status"},
	{"settings", "config-show"},
	{"show", "status tail"},
	{"split-window", "add"},
	{"start", "spawn"},
	{"state", "status"},
	{"stats", "metrics tokens"},
	{"stop", "interrupt kill"},
	{"stream", "watch monitor"},
	{"tasks", "bead-list triage"},
	{"tell", "send"},
	{"terminate", "kill"},
	{"top", "activity status"},
	{"tui", "dashboard"},
	{"type", "send keys"},
	{"ui", "dashboard"},
	{"up", "spawn"},
	{"usage", "tokens context"},
	{"view", "tail"},
	{"who", "attention status"},
	{"why", "explain"},
	{"write", "send"},
}

var flagHabits = [...]habit{
	{"a", "all"},
	{"agent", "type"},
	{"agents", "type"},
	{"all-sessions", "all"},
	{"assume-yes", "yes"},
	{"columns", "fields"},
	{"command", "cmd"},
	{"confirm", "yes"},
	{"count", "limit lines"},
	{"cwd", "dir"},
	{"d", "dir"},
	{"debug", "verbose"},
	{"directory", "dir"},
	{"dry", "dry-run"},
	{"f", "follow force"},
	{"format", "robot-format"},
	{"kind", "type"},
	{"m", "msg"},
	{"markdown", "robot-format=markdown"},
	{"max", "limit"},
	{"md", "robot-format=markdown"},
	{"message", "msg"},
	{"n", "lines"},
	{"ndjson", "robot-format=ndjson"},
	{"no-color", "color=never"},
	{"no-colour", "color=never"},
	{"o", "robot-format"},
	{"output", "robot-format"},
	{"p", "panes"},
	{"path", "dir"},
	{"plain", "human"},
	{"prompt", "msg"},
	{"s", "session"},
	{"select", "fields"},
	{"show-all", "limit=0"},
	{"t", "type"},
	{"table", "human"},
	{"tail", "lines"},
	{"template", "go-template"},
	{"terse", "robot-format=terse"},
	{"text", "msg human"},
	{"toon", "robot-format=toon"},
	{"w", "wait"},
	{"wait-for", "for"},
	{"workdir", "dir"},
}

var valueHabits = [...]habit{
	{"any", "any-change"},
	{"blocked", "waiting"},
	{"busy", "working"},
	{"complete", "idle"},
	{"completed", "idle"},
	{"dead", "exited"},
	{"done", "idle"},
	{"failed", "error"},
	{"finished", "idle"},
	{"md", "markdown"},
	{"ready", "idle"},
	{"running", "working"},
	{"stopped", "exited"},
	{"table", "markdown"},
	{"text", "terse"},
}

// meantBy returns what stands here for a word of other programs; nil for words
// that none is known to have.
func meantBy(habits []habit, word string) []string {
	at, ok := slices.BinarySearchFunc(habits, strings.ToLower(word), func(h habit, word string) int { return strings.Compare(h.word, word) })
	if !ok {
		return nil
	}
	return strings.Fields(habits[at].here)
}

// flagsMeantBy returns the flags that a verb takes for one of other programs; nil
// for no verb is the global ones.
func flagsMeantBy(verb *registry.Verb, word string) []string {
	return slices.DeleteFunc(meantBy(flagHabits[:], word), func(flag string) bool {
		name, _, _ := strings.Cut(flag, "=")
		return registry.GlobalField(name) == nil && (verb == nil || verb.Field(name) == nil)
	})
}

// valuesMeantBy returns the values for one of other programs, of those that are
// valid.
func valuesMeantBy(valid []string, word string) []string {
	return slices.DeleteFunc(meantBy(valueHabits[:], word), func(value string) bool { return !slices.Contains(valid, value) })
}
