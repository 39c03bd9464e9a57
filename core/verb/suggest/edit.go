package suggest

import (
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/system/shell"
)

// agentsFlag is the flag that starts agents of any kind, which takes KIND=N.
const agentsFlag = "--agents="

// command returns a command line of Cupola as it is typed.
func command(args []string) string { return shell.Line(append([]string{"cupola"}, args...)...) }

// replaced returns arguments with another word in the place of the slip; nil if
// the slip is not among them.
func replaced(args []string, slip core.Slip, by string) []string {
	for i := range args {
		if n, words := matchSlip(args[i:], slip, by); n > 0 {
			return slices.Concat(args[:i], words, args[i+n:])
		}
	}
	if slip.Input != "" {
		return replaced(args, core.Slip{Word: slip.Word}, by)
	}
	return nil
}

// wordsIn returns how many arguments a phrase is that they begin with; 0 if they do not.
func wordsIn(args []string, phrase string) int {
	n := 1 + strings.Count(phrase, " ")
	if n > len(args) || strings.Join(args[:n], " ") != phrase {
		return 0
	}
	return n
}

// matchSlip returns the words that replace the first n arguments; n is 0 if the slip does
// not begin there.
func matchSlip(args []string, slip core.Slip, by string) (n int, words []string) {
	arg := args[0]
	name, value, given := strings.Cut(arg, "=")
	flag := given && strings.HasPrefix(arg, "-")
	input := "--" + slip.Input
	switch {
	case len(args) > 1 && arg == slip.Word && strings.HasPrefix(by, agentsFlag): // --copilot 2
		return 2, []string{by + "=" + args[1]}
	case slip.Input == "" && arg == slip.Word:
		return 1, []string{by}
	case flag && name == slip.Word: // --limt=3
		return 1, []string{valued(by, value)}
	case flag && (slip.Input == "" || name == input):
		if list, ok := replaceInList(value, slip.Word, by); ok {
			return 1, []string{name + "=" + list}
		}
	case slip.Input != "" && arg == input && len(args) > 1:
		if list, ok := replaceInList(args[1], slip.Word, by); ok {
			return 2, []string{arg, list}
		}
	case slip.Input == "" && wordsIn(args, slip.Word) > 1: // config gte
		return wordsIn(args, slip.Word), []string{by}
	case slip.Input == "":
		if list, ok := replaceInList(arg, slip.Word, by); ok {
			return 1, []string{list}
		}
	}
	return 0, nil
}

// valued gives a flag the value that the misspelt one had, unless it brings its
// own.
func valued(flag, value string) string {
	if strings.Contains(flag, "=") && !strings.HasPrefix(flag, agentsFlag) { // --agents=KIND takes =N
		return flag
	}
	return flag + "=" + value
}

// replaceInList replaces a word in a text that is the word, or a list with commas.
func replaceInList(text, word, by string) (string, bool) {
	if text == word {
		return by, true
	}
	items := strings.Split(text, ",")
	at := slices.IndexFunc(items, func(item string) bool { // KIND=N, KIND:MODEL
		rest, is := strings.CutPrefix(item, word)
		return is && (rest == "" || strings.ContainsAny(rest[:1], "=:"))
	})
	if at < 0 || word == "" || strings.ContainsAny(text, " \t\n") {
		return "", false
	}
	items[at] = by + items[at][len(word):]
	return strings.Join(items, ","), true
}

func consents(arg string) bool {
	return slices.Contains([]string{"--yes", "--force", "-y", "--dry-run"}, arg)
}
