package cli

import (
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/charmbracelet/x/term"

	"cupola/core"
	"cupola/core/term/cells"
)

// confirm asks a yes-or-no question that one key answers; the default is no.
func (p prompter) confirm(question string) (bool, error) {
	// A terminal that passes keys on as they are pressed raises no signal for Ctrl-C,
	// but others may still send one.
	signals := make(chan os.Signal, 1)
	if handled := leaving(); len(handled) > 0 {
		signal.Notify(signals, handled...)
		defer signal.Stop(signals)
	}
	p.pause()
	// Asked first: on a terminal that passes keys on, a line would not begin at the left.
	fmt.Fprintf(p.opts.Stderr, "%s [y/N] ", cells.Safe(question))
	state, err := term.MakeRaw(p.opts.Stdin.Fd())
	if err != nil {
		return false, core.Errorf(core.IOError, "read the terminal: %w", err)
	}
	answers := make(chan string, 1)
	go func() { answers <- readAnswer(p.opts.Stdin) }()
	answer := interrupted
	select {
	case answer = <-answers:
	case <-signals:
	}
	if err := term.Restore(p.opts.Stdin.Fd(), state); err != nil {
		return false, core.Errorf(core.IOError, "restore the terminal: %w", err)
	}
	fmt.Fprintln(p.opts.Stderr, answer)
	if answer == interrupted {
		return false, interruptedError()
	}
	return answer == yes, nil
}

// The answers to a question.
const (
	yes         = "yes"
	no          = "no"
	interrupted = "interrupted"
)

// interruptedError returns the error of what a signal, or a key in its place, has ended.
func interruptedError() error { return &core.Error{Code: core.Cancelled, Message: interrupted} }

// readAnswer waits for a key that answers a question. The end of what can be read
// interrupts.
func readAnswer(keys io.Reader) string {
	pressed := make([]byte, 64)
	for {
		n, err := keys.Read(pressed)
		if err != nil {
			return interrupted
		}
		if answer := answerOf(pressed[:n]); answer != "" {
			return answer
		}
	}
}

// answerOf returns the answer among the bytes of one read; empty if there is none.
func answerOf(pressed []byte) string {
	const ctrlC, ctrlD, escape = 3, 4, 27
	if len(pressed) > 1 && pressed[0] == escape {
		return "" // a key that has a sequence
	}
	for _, key := range pressed {
		switch key {
		case 'y', 'Y':
			return yes
		case 'n', 'N', '\r', '\n', escape:
			return no
		case ctrlC, ctrlD:
			return interrupted
		}
	}
	return ""
}
