// Package shell writes command lines as a POSIX shell reads them, and reads them
// back. It knows words and quotes only: variables, globs and operators are text.
package shell

import (
	"errors"
	"strings"

	"cupola/core"
)

// plain are the letters that need no quotes in any shell.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.,/:@%+="

// Quote writes a word so that a shell reads it back unchanged.
func Quote(word string) string {
	// zsh takes a word that begins with = for the path of a program.
	if word != "" && word[0] != '=' && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Line writes words as one command line.
func Line(words ...string) string {
	quoted := core.Map(words, Quote)
	return strings.Join(quoted, " ")
}

// ErrOpen means that a command line ends within quotes or behind a backslash.
var ErrOpen = errors.New("a quote or a backslash at the end is open")

// Words reads a command line. A line of blanks has no words. It returns ErrOpen.
func Words(line string) ([]string, error) {
	words := []string{}
	for {
		line = strings.TrimLeft(line, blanks)
		if line == "" {
			return words, nil
		}
		word, rest, err := next(line)
		if err != nil {
			return nil, err
		}
		words, line = append(words, word), rest
	}
}

const blanks = " \t\n"

// next reads the word at the beginning of a line.
func next(line string) (word, rest string, err error) {
	var text strings.Builder
	for line != "" && !strings.ContainsRune(blanks, rune(line[0])) {
		c := line[0]
		line = line[1:]
		switch c {
		case '\'':
			quoted, behind, closed := strings.Cut(line, "'")
			if !closed {
				return "", "", ErrOpen
			}
			text.WriteString(quoted)
			line = behind
		case '"':
			if line, err = double(&text, line); err != nil {
				return "", "", err
			}
		case '\\':
			if line == "" {
				return "", "", ErrOpen
			}
			if line[0] != '\n' {
				text.WriteByte(line[0])
			}
			line = line[1:]
		default:
			text.WriteByte(c)
		}
	}
	return text.String(), line, nil
}

// double reads the text in double quotes, and returns the rest of the line.
func double(text *strings.Builder, line string) (rest string, err error) {
	for line != "" {
		c := line[0]
		line = line[1:]
		switch {
		case c == '"':
			return line, nil
		case c == '\\' && line != "" && strings.ContainsRune("$`\"\\\n", rune(line[0])):
			if line[0] != '\n' {
				text.WriteByte(line[0])
			}
			line = line[1:]
		default:
			text.WriteByte(c)
		}
	}
	return "", ErrOpen
}

// HasOperators reports whether a shell would find more in a line than words: an operator, a variable, a command in the
// line, a glob or a comment.
func HasOperators(line string) bool {
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote == '\'':
			if c == quote {
				quote = 0
			}
		case c == '\\':
			i++
		case c == '`' || c == '$':
			return true
		case quote == '"':
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case strings.IndexByte(";|&<>()*?[]{}!#~\n", c) >= 0:
			return true
		}
	}
	return false
}
