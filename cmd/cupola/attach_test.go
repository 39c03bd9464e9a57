package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"cupola/core/engine/enginetest"
	"cupola/core/system/shell/shelltest"
)

// keyboard is a terminal's state of the keyboard protocol of kitty: flags, pushed on the main and on the alternate
// screen separately.
type keyboard struct {
	keys      [2][]int
	alternate bool
}

var keyboardSequence = regexp.MustCompile(`\x1b\[(\?1049[hl]|[><]\d*u)`)

// write obeys what of a text is about the keyboard.
func (k *keyboard) write(text string) {
	for _, found := range keyboardSequence.FindAllStringSubmatch(text, -1) {
		stack := &k.keys[0]
		if k.alternate {
			stack = &k.keys[1]
		}
		number, _ := strconv.Atoi(strings.Trim(found[1], "?><uhl"))
		switch {
		case strings.HasPrefix(found[1], "?"):
			k.alternate = strings.HasSuffix(found[1], "h")
		case strings.HasPrefix(found[1], ">"):
			*stack = append(*stack, number)
		default:
			*stack = (*stack)[:max(0, len(*stack)-max(1, number))]
		}
	}
}

// again waits until a text was written twice.
func (x *term) again(text string) {
	x.t.Helper()
	enginetest.Eventually(x.t, testTimeout, func() bool { return strings.Count(x.output(), text) > 1 }, x.output)
}

func TestEveryWayOutOfAnAttachGivesTheTerminalBack(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	const program = `printf '\033[?1049h\033[>5u\033[?1003h\033[?2004h\033]0;evil\033\\in-the-pane'
read line
printf '\033]52;c;ZXZpbA==\033\\after'
exec cat`
	script := filepath.Join(m.tmux.Dir, "program")
	if err := shelltest.WriteProgram(script, []byte("#!/bin/sh\n"+program+"\n")); err != nil {
		t.Fatal(err)
	}
	for name, leave := range map[string]func(x *term){
		"the key":         func(x *term) { x.write("\x1c") },
		"the key, as CSI": func(x *term) { x.write("\x1b[92;5u") },
		"SIGTERM":         func(x *term) { x.cmd.Process.Signal(syscall.SIGTERM) },
		"SIGHUP":          func(x *term) { x.cmd.Process.Signal(syscall.SIGHUP) },
		"SIGINT":          func(x *term) { x.cmd.Process.Signal(syscall.SIGINT) },
		"SIGQUIT":         func(x *term) { x.cmd.Process.Signal(syscall.SIGQUIT) },
		"look back": func(x *term) {
			x.write("\x1b[93;5u")
			x.waitFor("goes back")
			x.write("q")
			x.again("looks back")
			x.write("\x1c")
		},
		"the end":    func(*term) { m.cupola("kill", "demo", "--yes") },
		"the server": func(*term) { m.endOwnServer() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Cleanup(func() { m.cupola("kill", "demo", "--yes") })
			if got := m.cupola("spawn", "demo", "--engine=own", "--no-user-pane", "--cmd", script); got.status != 0 {
				t.Fatalf("%+v", got)
			}
			x := onTerminal(t, m.command(m.program, "attach", "demo"))
			x.waitFor("in-the-pane")
			x.waitFor("looks back")
			x.write("now\r")
			x.waitFor("after")
			leave(x)
			output := x.end().stdout
			outer := keyboard{keys: [2][]int{{7}, nil}} // another program has pushed flags
			outer.write(output)
			if outer.alternate || !slices.Equal(outer.keys[0], []int{7}) || len(outer.keys[1]) != 0 {
				t.Errorf("the keyboard is %+v after %q", outer, output)
			}
			for _, mode := range []string{"1003", "2004"} {
				if strings.LastIndex(output, "\x1b[?"+mode+"h") > strings.LastIndex(output, "\x1b[?"+mode+"l") {
					t.Errorf("mode %s stays on: %q", mode, output)
				}
			}
			if strings.Contains(output, "]52;") {
				t.Errorf("the clipboard was set: %q", output)
			}
			if !strings.Contains(output, "engine.clipboard allow") {
				t.Errorf("nothing is said of the clipboard: %q", output)
			}
		})
	}
}
