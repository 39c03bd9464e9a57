// Package panetag writes and reads the values of the tags that Cupola sets on panes and sessions.
package panetag

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent/detect"
)

// The values of the tags origin and role.
const (
	OriginSpawn = "spawn"
	RoleAgent   = "agent"
	RoleUser    = "user"
)

// The tags hook and state hold edges as words parted by blanks. A word that is
// empty is written as a dash, and what would part words is escaped.

// EncodeHook returns "EVENT STATE REASON NOTES MS SESSION KIND PID START ASKS COMMAND DESCRIPTION"; MS is Unix
// milliseconds. The last six are left out where nothing of them and of what follows them is known.
func EncodeHook(hook detect.Hook) string {
	notes := core.Map(hook.Notes, func(note core.Note) string { return escaped(string(note)) })
	words := []string{
		word(escaped(hook.Event)), word(escaped(string(hook.State))), word(escaped(string(hook.Reason))),
		word(strings.Join(notes, ",")), millis(hook.At), word(escaped(hook.Session)),
	}
	if hook.PID != 0 || hook.Asks != "" || hook.Command != "" {
		words = append(words, word(escaped(string(hook.Kind))), strconv.Itoa(hook.PID),
			strconv.FormatUint(hook.Start, 10))
	}
	switch {
	case hook.Command != "":
		words = append(words, word(escaped(hook.Asks)), escaped(hook.Command), word(escaped(hook.Description)))
	case hook.Asks != "":
		words = append(words, escaped(hook.Asks))
	}
	return strings.Join(words, " ")
}

// DecodeHook decodes what EncodeHook returned; nil for anything else. It ignores further
// words.
func DecodeHook(tag string) *detect.Hook {
	words := strings.Fields(tag)
	if len(words) < 6 {
		return nil
	}
	at, err := strconv.ParseInt(words[4], 10, 64)
	if err != nil || !isState(plain(words[1])) {
		return nil
	}
	hook := &detect.Hook{
		Event: plain(words[0]), State: core.State(plain(words[1])), Reason: core.Reason(plain(words[2])),
		At: time.UnixMilli(at).UTC(), Session: plain(words[5]),
	}
	if words[3] != emptyWord {
		for _, note := range strings.Split(words[3], ",") {
			hook.Notes = append(hook.Notes, core.Note(plain(note)))
		}
	}
	if len(words) >= 9 {
		pid, pidErr := strconv.Atoi(words[7])
		start, startErr := strconv.ParseUint(words[8], 10, 64)
		if pidErr == nil && startErr == nil && pid != 0 {
			hook.Kind, hook.PID, hook.Start = core.Kind(plain(words[6])), pid, start
		}
	}
	if len(words) >= 10 {
		hook.Asks = plain(words[9])
	}
	if len(words) >= 12 {
		hook.Command, hook.Description = plain(words[10]), plain(words[11])
	}
	return hook
}

// EncodeState returns "STATE REASON MS"; MS is Unix milliseconds. It omits the reasons of
// working, which change often. Of an agent that is done "done SAID" follows, with the first line of its reply.
func EncodeState(status core.Status) string {
	if status.State == core.Working {
		status.Reason = ""
	}
	words := []string{word(escaped(string(status.State))), word(escaped(string(status.Reason))), millis(status.Since)}
	if status.Has(core.NoteDone) {
		words = append(words, string(core.NoteDone), word(escaped(status.Said)))
	}
	return strings.Join(words, " ")
}

// DecodeState decodes what EncodeState returned; the zero value for anything else.
func DecodeState(tag string) core.Status {
	words := strings.Fields(tag)
	if len(words) < 3 || plain(words[0]) == "" || !isState(plain(words[0])) {
		return core.Status{}
	}
	status := core.Status{State: core.State(plain(words[0])), Reason: core.Reason(plain(words[1]))}
	if at, err := strconv.ParseInt(words[2], 10, 64); err == nil {
		status.Since = time.UnixMilli(at).UTC()
	}
	if len(words) >= 5 && words[3] == string(core.NoteDone) {
		status.Notes, status.Said = []core.Note{core.NoteDone}, plain(words[4])
	}
	return status
}

// EncodeEnv returns the variables of an environment that have some names, as "NAME=VALUE NAME=VALUE".
func EncodeEnv(names []string, env func(name string) string) string {
	var words []string
	for _, name := range names {
		if value := env(name); value != "" {
			words = append(words, name+"="+escaped(value))
		}
	}
	return strings.Join(words, " ")
}

// DecodeEnv decodes what EncodeEnv returned.
func DecodeEnv(tag string) func(name string) string {
	env := map[string]string{}
	for _, word := range strings.Fields(tag) {
		if name, value, is := strings.Cut(word, "="); is {
			env[name] = plain(value)
		}
	}
	return func(name string) string { return env[name] }
}

// EncodeContinuation returns "TRIES MS"; empty where an agent is not continued.
func EncodeContinuation(c core.Continuation) string {
	if !c.Wanted {
		return ""
	}
	return strconv.Itoa(c.Tries) + " " + millis(c.TriedAt)
}

// DecodeContinuation decodes what EncodeContinuation returned; the zero value for anything else.
func DecodeContinuation(tag string) core.Continuation {
	tries, at, is := strings.Cut(tag, " ")
	n, err := strconv.Atoi(tries)
	if !is || err != nil || n < 0 {
		return core.Continuation{}
	}
	c := core.Continuation{Wanted: true, Tries: n}
	if ms, err := strconv.ParseInt(at, 10, 64); err == nil {
		c.TriedAt = time.UnixMilli(ms).UTC()
	}
	return c
}

// EncodeRules returns the rules of an agent as words of JSON; empty for none.
func EncodeRules(rules []core.Rule) string {
	var words []string
	for i := range rules {
		text, _ := json.Marshal(&rules[i]) // strings, numbers and times can be encoded
		words = append(words, escaped(string(text)))
	}
	return strings.Join(words, " ")
}

// DecodeRules decodes what EncodeRules returned. It leaves out what is no rule.
func DecodeRules(tag string) []core.Rule {
	var rules []core.Rule
	for _, text := range strings.Fields(tag) {
		var rule core.Rule
		if json.Unmarshal([]byte(plain(text)), &rule) == nil && rule.ID != "" && core.CheckRule(rule.Allow) == nil {
			rules = append(rules, rule)
		}
	}
	return rules[:min(len(rules), core.RulesMost)]
}

// emptyWord means an empty word.
const emptyWord = "-"

func word(text string) string {
	if text == "" {
		return emptyWord
	}
	return text
}

// escaped makes a word of any text.
func escaped(text string) string {
	if text == emptyWord {
		return "%2D"
	}
	return strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
}

func plain(word string) string {
	if word == emptyWord {
		return ""
	}
	text, err := url.QueryUnescape(word)
	if err != nil {
		return word
	}
	return text
}

// millis writes a moment; a dash where there is none.
func millis(at time.Time) string {
	if at.IsZero() {
		return emptyWord
	}
	return strconv.FormatInt(at.UnixMilli(), 10)
}

// isState reports whether a word is a state, or empty: some edges only add notes.
func isState(word string) bool {
	if word == "" {
		return true
	}
	for _, state := range core.States {
		if string(state) == word {
			return true
		}
	}
	return false
}
