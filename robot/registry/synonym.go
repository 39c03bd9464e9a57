package registry

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"cupola/core/near"
)

// synonym is a word that people and agents know from other programs, such as tmux,
// docker, kubectl and git, and what it is called here, the best first.
type synonym struct{ word, here string }

var verbSynonyms = [...]synonym{
	{"abort", "interrupt kill"},
	{"accept", "answer"},
	{"ack-alert", "dismiss-alert"},
	{"alive", "probe"},
	{"allow", "answer"},
	{"answer-all", "answer"},
	{"api", "capabilities docs"},
	{"approve", "answer"},
	{"ask", "send"},
	{"attach-session", "attach"},
	{"auth", "account-status"},
	{"await", "wait"},
	{"backup", "checkpoint save"},
	{"begin", "spawn"},
	{"block", "wait"},
	{"boot", "spawn"},
	{"broadcast-message", "broadcast"},
	{"cancel", "interrupt"},
	{"capture", "tail"},
	{"capture-pane", "tail"},
	{"cat", "tail"},
	{"cfg", "config-show"},
	{"changes", "diff files"},
	{"chat", "send"},
	{"check", "health doctor"},
	{"choose", "answer"},
	{"clear", "dismiss-alert interrupt"},
	{"close", "kill"},
	{"commands", "capabilities"},
	{"commits", "summary"},
	{"conf", "config-show"},
	{"connect", "attach"},
	{"continue", "send answer"},
	{"conversation", "reply history"},
	{"cost", "tokens budget"},
	{"costs", "tokens budget"},
	{"create", "spawn"},
	{"debug", "diagnose explain"},
	{"delete", "kill"},
	{"deny", "answer"},
	{"describe", "inspect-pane"},
	{"destroy", "kill"},
	{"detach", "attach"},
	{"discard", "kill"},
	{"dismiss", "dismiss-alert"},
	{"done", "wait is-working"},
	{"down", "kill"},
	{"drop", "kill"},
	{"dump", "tail snapshot"},
	{"end", "kill"},
	{"enter", "attach"},
	{"env", "config-show"},
	{"errors", "alerts"},
	{"esc", "interrupt"},
	{"escape", "interrupt"},
	{"events", "watch summary"},
	{"exec", "send spawn"},
	{"exit", "kill"},
	{"find", "palette status"},
	{"focus", "attach"},
	{"follow", "watch monitor"},
	{"get", "status"},
	{"goto", "attach"},
	{"grep", "tail wait"},
	{"gui", "dashboard"},
	{"halt", "interrupt kill"},
	{"has-session", "status"},
	{"head", "tail"},
	{"health-check", "doctor"},
	{"info", "inspect-pane status"},
	{"init", "setup"},
	{"input", "send keys"},
	{"inspect", "inspect-pane"},
	{"install", "setup plugin-install"},
	{"issues", "bead-list triage"},
	{"jobs", "status pipeline-list"},
	{"join", "attach wait"},
	{"kill-pane", "kill"},
	{"kill-server", "kill"},
	{"kill-session", "kill"},
	{"kill-window", "kill"},
	{"killall", "kill"},
	{"last", "reply"},
	{"launch", "spawn"},
	{"limits", "quota-check"},
	{"list", "status"},
	{"list-panes", "status"},
	{"list-sessions", "status"},
	{"listen", "watch"},
	{"log", "history tail"},
	{"login", "account-status"},
	{"logins", "account-status"},
	{"logs", "tail history"},
	{"look", "tail status"},
	{"ls", "status"},
	{"lsp", "status"},
	{"lsw", "status"},
	{"man-page", "docs"},
	{"message", "send reply"},
	{"messages", "history reply"},
	{"models", "tools accounts-list"},
	{"money", "tokens budget"},
	{"move", "rename"},
	{"msg", "send"},
	{"mv", "rename"},
	{"name", "rename"},
	{"new", "spawn"},
	{"new-pane", "add"},
	{"new-session", "spawn"},
	{"new-window", "add"},
	{"no", "answer"},
	{"notifications", "alerts"},
	{"open", "attach dashboard"},
	{"options", "config-show"},
	{"output", "tail reply"},
	{"overview", "status dashboard"},
	{"pause", "interrupt"},
	{"peek", "tail"},
	{"ping", "probe"},
	{"pkill", "kill"},
	{"poll", "wait watch"},
	{"press", "keys"},
	{"price", "tokens budget"},
	{"print", "tail"},
	{"prompt", "send"},
	{"ps", "status"},
	{"query", "send status"},
	{"quit", "kill"},
	{"quota", "quota-check"},
	{"ratelimit", "quota-check"},
	{"read", "reply tail"},
	{"ready", "wait is-working"},
	{"reject", "answer"},
	{"remove", "kill"},
	{"repeat", "replay"},
	{"report", "summary markdown"},
	{"resend", "replay"},
	{"respawn-pane", "restart-pane"},
	{"response", "reply"},
	{"restart", "restart-pane smart-restart"},
	{"result", "reply"},
	{"resume", "restore smart-restart"},
	{"retry", "replay send"},
	{"rm", "kill"},
	{"rollback", "restore"},
	{"run", "spawn send"},
	{"say", "send"},
	{"say-all", "broadcast"},
	{"screen", "tail"},
	{"screenshot", "tail"},
	{"script", "pipeline-run"},
	{"scrollback", "tail"},
	{"select", "answer route"},
	{"send-keys", "keys send"},
	{"sendall", "broadcast"},
	{"set", "config-set"},
	{"settings", "config-show"},
	{"shell", "spawn add"},
	{"show", "status tail"},
	{"shutdown", "kill"},
	{"sleep", "wait"},
	{"snapshot-session", "checkpoint"},
	{"spend", "tokens budget"},
	{"spending", "tokens budget"},
	{"split", "add"},
	{"split-window", "add"},
	{"start", "spawn"},
	{"state", "status"},
	{"stats", "metrics tokens"},
	{"stop", "interrupt kill"},
	{"stream", "watch monitor"},
	{"submit", "send keys"},
	{"summary-all", "summary"},
	{"switch", "attach"},
	{"tasks", "bead-list triage"},
	{"tell", "send"},
	{"terminate", "kill"},
	{"tickets", "bead-list triage"},
	{"todo", "bead-list triage"},
	{"todos", "bead-list triage"},
	{"top", "activity status"},
	{"transcript", "reply history"},
	{"tui", "dashboard"},
	{"type", "send keys"},
	{"ui", "dashboard"},
	{"undo", "restore"},
	{"unpause", "send answer"},
	{"up", "spawn"},
	{"update", "version"},
	{"upgrade", "version"},
	{"usage", "tokens context"},
	{"use", "attach"},
	{"verbs", "capabilities"},
	{"verify", "doctor"},
	{"view", "tail"},
	{"warnings", "alerts"},
	{"who", "attention status"},
	{"whoami", "account-status"},
	{"why", "explain"},
	{"work", "triage bead-list"},
	{"workflow", "pipeline-run"},
	{"workflows", "pipeline-list pipeline-run"},
	{"write", "send"},
	{"yes", "answer"},
}

var flagSynonyms = [...]synonym{
	{"a", "all"},
	{"accept", "approve"},
	{"after", "since"},
	{"agent", "type panes"},
	{"agents", "type"},
	{"all-sessions", "all"},
	{"allow", "approve"},
	{"amount", "usd"},
	{"approve-all", "yes"},
	{"as-json", "json"},
	{"assume-yes", "yes"},
	{"block", "wait"},
	{"body", "msg"},
	{"budget", "usd"},
	{"cc", "spawn-cc"},
	{"check", "dry-run"},
	{"choice", "choose"},
	{"claude", "spawn-cc"},
	{"codex", "spawn-cod"},
	{"colour", "color"},
	{"columns", "fields"},
	{"command", "cmd"},
	{"confirm", "yes"},
	{"content", "msg"},
	{"cost", "usd"},
	{"count", "limit lines"},
	{"cwd", "dir"},
	{"d", "dir"},
	{"debug", "verbose"},
	{"directory", "dir"},
	{"dollars", "usd"},
	{"dry", "dry-run"},
	{"dryrun", "dry-run"},
	{"f", "follow force"},
	{"file", "msg-file"},
	{"filter", "jq"},
	{"first", "limit"},
	{"format", "robot-format"},
	{"from", "since"},
	{"from-file", "msg-file"},
	{"gemini", "spawn-gmi"},
	{"history", "lines"},
	{"id", "panes"},
	{"input", "msg"},
	{"json-output", "json"},
	{"kind", "type"},
	{"last-lines", "lines"},
	{"limit", "lines"},
	{"limit-usd", "usd"},
	{"live", "follow"},
	{"m", "msg"},
	{"markdown", "robot-format=markdown"},
	{"max", "limit"},
	{"max-wait", "timeout"},
	{"md", "robot-format=markdown"},
	{"message", "msg"},
	{"n", "lines"},
	{"name", "session as"},
	{"ndjson", "robot-format=ndjson"},
	{"no", "deny"},
	{"no-color", "color=never"},
	{"no-colour", "color=never"},
	{"no-confirm", "yes"},
	{"no-op", "dry-run"},
	{"nocolor", "color=never"},
	{"non-interactive", "yes"},
	{"noninteractive", "yes"},
	{"num", "lines limit"},
	{"number", "lines limit"},
	{"o", "robot-format"},
	{"opencode", "spawn-oc"},
	{"option", "choose"},
	{"out", "robot-format"},
	{"output", "robot-format"},
	{"p", "panes"},
	{"page", "offset"},
	{"pane", "panes"},
	{"pane-id", "panes"},
	{"path", "dir"},
	{"plain", "human"},
	{"plan", "dry-run"},
	{"preview", "dry-run"},
	{"project", "dir"},
	{"prompt", "msg"},
	{"query", "jq filter"},
	{"raw", "ansi json"},
	{"reject", "deny"},
	{"reply", "text"},
	{"rows", "limit lines"},
	{"s", "session"},
	{"select", "choose fields"},
	{"sess", "session"},
	{"session-name", "session"},
	{"show-all", "limit=0"},
	{"silent", "quiet"},
	{"simulate", "dry-run"},
	{"size", "lines limit"},
	{"skip", "offset"},
	{"start", "offset"},
	{"state", "for"},
	{"status", "for"},
	{"stream", "follow"},
	{"sync", "wait"},
	{"t", "type"},
	{"table", "human"},
	{"tail", "lines"},
	{"target", "panes session"},
	{"template", "go-template"},
	{"terse", "robot-format=terse"},
	{"text", "msg human"},
	{"toon", "robot-format=toon"},
	{"top", "limit"},
	{"until", "for"},
	{"w", "wait"},
	{"wait-for", "for"},
	{"wait-idle", "wait"},
	{"wait-timeout", "timeout"},
	{"watch", "follow"},
	{"what-if", "dry-run"},
	{"whatif", "dry-run"},
	{"workdir", "dir"},
	{"working-dir", "dir"},
	{"working-directory", "dir"},
	{"workspace", "dir"},
	{"yaml", "robot-format"},
	{"yes", "approve"},
}

var valueSynonyms = [...]synonym{
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

// meantBy returns what a word of other programs is called here; nil for words that
// none is known to have.
func meantBy(synonyms []synonym, word string) []string {
	at, ok := slices.BinarySearchFunc(synonyms, strings.ToLower(word),
		func(s synonym, word string) int { return strings.Compare(s.word, word) })
	if !ok {
		return nil
	}
	return strings.Fields(synonyms[at].here)
}

// Synonyms returns the verbs that a word of other programs stands for; nil for words
// that none is known to have.
func (c *Catalog) Synonyms(word string) []string { return meantBy(verbSynonyms[:], word) }

// Meant returns the verbs that a word was probably meant for: by what it means in other
// programs, else by its spelling among the names of verbs and more.
func (c *Catalog) Meant(word string, more ...string) []string {
	if names := c.Synonyms(word); len(names) > 0 {
		return names
	}
	return near.Words(word, slices.Concat(c.Names(), more))
}

// secondSynonyms are second words of two, as in "alert rm", and what they are called
// here.
var secondSynonyms = [...]synonym{
	{"add", "create"},
	{"all", "list"},
	{"begin", "start"},
	{"cat", "show"},
	{"clear", "dismiss"},
	{"delete", "remove kill"},
	{"describe", "show status"},
	{"end", "kill close"},
	{"exec", "run"},
	{"get", "show"},
	{"info", "show status"},
	{"launch", "run create"},
	{"list", "status show"},
	{"ls", "list status show"},
	{"new", "create"},
	{"rm", "remove kill dismiss"},
	{"show", "status list"},
	{"start", "run create"},
	{"state", "status"},
	{"stop", "cancel kill"},
	{"uninstall", "remove"},
	{"update", "set"},
	{"view", "show status"},
	{"write", "set"},
}

// MeantBehind returns the second words that one behind a first was probably meant for.
func (c *Catalog) MeantBehind(first, second string) []string {
	known := slices.Sorted(maps.Keys(c.Begun(first)))
	meant := slices.DeleteFunc(meantBy(secondSynonyms[:], second),
		func(word string) bool { return !slices.Contains(known, word) })
	if len(meant) > 0 {
		return meant
	}
	return near.Words(second, known)
}

// FlagsMeantBy returns the flags that a verb takes for one of other programs, without
// dashes, some with a value; nil for no verb is the global ones.
func FlagsMeantBy(verb *Verb, word string) []string {
	return slices.DeleteFunc(meantBy(flagSynonyms[:], word), func(flag string) bool {
		name, _, _ := strings.Cut(flag, "=")
		return GlobalField(name) == nil && (verb == nil || verb.Field(name) == nil)
	})
}

// ValuesMeantBy returns the values for one of other programs, of those that are
// valid.
func ValuesMeantBy(valid []string, word string) []string {
	return slices.DeleteFunc(meantBy(valueSynonyms[:], word),
		func(value string) bool { return !slices.Contains(valid, value) })
}

// Means reports whether a flag of other programs, without dashes, is called so here.
func Means(word, name string) bool { return slices.Contains(meantBy(flagSynonyms[:], word), name) }

// FlagOf returns the flag of a verb, with dashes and its value, that a bare word was
// meant for: a time is its limit, a number its lines, one of a flag's few values that
// flag, and the name of a switch the switch. It is empty where none or several fit.
func FlagOf(verb *Verb, word string) string {
	if _, err := strconv.ParseUint(word, 10, 31); err == nil {
		if verb.Field("lines") == nil {
			return ""
		}
		return "--lines=" + word
	}
	if _, err := ParseDuration(word); err == nil && verb.Field("timeout") != nil {
		return "--timeout=" + word
	}
	var fit []string
	for _, field := range verb.Fields() {
		if field.Flag() && slices.Contains(field.Enum, word) {
			fit = append(fit, "--"+field.Name+"="+word)
		}
	}
	for _, name := range append(FlagsMeantBy(verb, word), word) {
		if field := verb.Field(name); field != nil && field.Flag() && field.Type == "bool" {
			fit = append(fit, "--"+name)
		}
	}
	if len(fit) != 1 {
		return ""
	}
	return fit[0]
}
