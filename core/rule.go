package core

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Rule approves, without its user, the requests of one agent to run a certain command. It ends at a time and after a
// number of uses.
type Rule struct {
	// ID names the rule among those of all panes.
	ID string `json:"id"`
	// Allow is the command, as CheckRule describes.
	Allow string    `json:"allow" table:"COMMAND,flex"`
	Made  time.Time `json:"made_at"`
	Until time.Time `json:"until" table:"UNTIL,dim,ago"`
	// Most is how often it may be used, and Uses how often it was.
	Most int `json:"most"`
	Uses int `json:"uses"`
	// UsedAt is when it was last used, and Ran the command that it approved then; zero if it never was.
	UsedAt time.Time `json:"used_at,omitzero"`
	Ran    string    `json:"ran,omitempty"`
}

// The limits of rules.
const (
	// RulesMost is how many rules an agent may have.
	RulesMost = 16
	// ruleLongest is how long the command of a rule may be, in bytes.
	ruleLongest = 256
	// prefixLeast is the least number of words before the asterisk of a rule.
	prefixLeast = 2
)

// anyMore is the end of a rule that also approves its words with others behind them.
const anyMore = " *"

// operators are the characters with which a shell does more than run one program with some words.
const operators = ";&|<>`$(){}\\!#"

// plainSigns are the characters beside letters and digits of words that a rule does not spell out.
const plainSigns = "-_./:=,@%+^"

// launchers run programs that their words name, so that none of them may begin a rule that leaves words open.
var launchers = []string{
	"sh", "bash", "zsh", "fish", "dash", "ksh", "csh", "tcsh", "busybox", "env", "sudo", "doas", "su", "xargs", "eval",
	"exec", "source", ".", "command", "builtin", "nohup", "setsid", "time", "timeout", "nice", "ionice", "stdbuf",
	"watch", "script", "ssh", "tmux", "screen", "python", "python2", "python3", "perl", "ruby", "node", "deno", "bun",
	"php", "lua",
	"awk", "gawk", "sed", "find", "parallel", "npx", "bunx", "uvx", "docker", "podman", "kubectl", "cupola",
}

// CheckRule returns InvalidInput for a text that is no rule. A rule is one command with its words, as a shell would get
// it, and approves exactly that. If its last word is an asterisk, it approves the words before it, alone and with any
// plain words behind them. A rule has no operator of a shell, nothing but ASCII, and no other word that is an asterisk.
func CheckRule(allow string) error {
	bad := func(format string, args ...any) error {
		return &Error{
			Code: InvalidInput, Message: "this is no rule: " + fmt.Sprintf(format, args...),
			Hint: `Give one command, such as "go test ./...", or its first words and a last word *, such as "go test *".`,
		}
	}
	words := strings.Split(allow, " ")
	prefix, open := strings.CutSuffix(allow, anyMore)
	switch r, found := unruly(allow); {
	case strings.TrimSpace(allow) == "":
		return bad("it is empty")
	case len(allow) > ruleLongest:
		return bad("it has %d bytes, and may have %d", len(allow), ruleLongest)
	case found:
		return bad("it must not hold %q", r)
	case slices.Contains(words, ""):
		return bad("between two words there is one blank, and none at the ends")
	case slices.Contains(words[:len(words)-1], "*"), allow == "*":
		return bad("* is only its last word, behind the first words of a command")
	case !open:
		return nil
	case len(words) <= prefixLeast:
		return bad("%s alone would approve all that it can do; give at least %d words before the *", words[0],
			prefixLeast)
	case !plainWords(prefix) || strings.Contains(words[0], "="):
		return bad("before a * there are only plain words: letters, digits and any of %s", plainSigns)
	case slices.Contains(launchers, words[0][strings.LastIndexByte(words[0], '/')+1:]):
		return bad("%s runs what its words name, so give the whole command, without *", words[0])
	}
	return nil
}

// unruly returns the first character that no command of a rule may have.
func unruly(command string) (rune, bool) {
	for _, r := range command {
		if r < ' ' || r > '~' || strings.ContainsRune(operators, r) {
			return r, true
		}
	}
	return 0, false
}

// plainWords reports whether a text is words parted by single blanks that mean the same to every shell.
func plainWords(text string) bool {
	for _, word := range strings.Split(text, " ") {
		if word == "" || strings.ContainsFunc(word, func(r rune) bool {
			letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
			return !letter && !strings.ContainsRune(plainSigns, r)
		}) {
			return false
		}
	}
	return true
}

// Fits reports whether the rule approves a command. The command is the whole of what a shell would get.
func (r *Rule) Fits(command string) bool {
	if _, found := unruly(command); found || CheckRule(r.Allow) != nil {
		return false
	}
	prefix, open := strings.CutSuffix(r.Allow, anyMore)
	if !open {
		return command == r.Allow
	}
	return plainWords(command) && (command == prefix || strings.HasPrefix(command, prefix+" "))
}

// Holds reports whether the rule may still be used.
func (r *Rule) Holds(now time.Time) bool { return r.Uses < r.Most && now.Before(r.Until) }

// LiveRules returns the rules of the agent that may still be used.
func (a *Agent) LiveRules(now time.Time) []Rule {
	return slices.DeleteFunc(slices.Clone(a.Rules), func(r Rule) bool { return !r.Holds(now) })
}

// RulesWords says how many rules hold, how often they were used and how often they may be, in a few words: "rule 3/20";
// empty for none.
func (a *Agent) RulesWords(now time.Time) string {
	rules, used, most := a.LiveRules(now), 0, 0
	for i := range rules {
		used, most = used+rules[i].Uses, most+rules[i].Most
	}
	switch len(rules) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("rule %d/%d", used, most)
	}
	return fmt.Sprintf("%d rules %d/%d", len(rules), used, most)
}

// Words says how far the rule was used, in a few words: "3 of 20".
func (r *Rule) Words() string { return fmt.Sprintf("%d of %d", r.Uses, r.Most) }
