package tmux

import "strings"

// command is one tmux command: its name and arguments, as they are meant.
type command []string

// reply is how an invocation ended.
type reply struct {
	stdout, stderr []byte
	exit           int
}

// maxArgv is how many bytes of arguments one message to a tmux server may hold
// with room to spare: the limit is 16 KB with a header.
const maxArgv = 15 << 10

// flatten writes commands as the argv of a tmux process without its flags.
// tmux ends a command behind an argument that ends in a semicolon, so one that
// is meant is written as "\;".
func flatten(commands []command) []string {
	var argv []string
	for i, c := range commands {
		if i > 0 {
			argv = append(argv, ";")
		}
		for _, arg := range c {
			if text, ends := strings.CutSuffix(arg, ";"); ends {
				arg = text + `\;`
			}
			argv = append(argv, arg)
		}
	}
	return argv
}

// size returns how many bytes of maxArgv a command takes.
func (c command) size() int {
	n := 2
	for _, arg := range c {
		n += len(arg) + 2
	}
	return n
}

func size(commands []command) int {
	n := 0
	for _, c := range commands {
		n += c.size()
	}
	return n
}

// script writes commands as a tmux configuration, one a line.
func script(commands []command) []byte {
	var b strings.Builder
	for _, c := range commands {
		for i, arg := range c {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(quote(arg))
		}
		b.WriteByte('\n')
	}
	return []byte(b.String())
}
