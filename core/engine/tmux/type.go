package tmux

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/engine"
)

// sanitizes is true of the versions that change control characters in what they
// paste, unless a flag forbids it.
const sanitizes = "#{||:#{m:3.[789]*,#{version}},#{m:[4-9].*,#{version}}}"

// maxDirect is the size in bytes of the texts that go through the socket.
const maxDirect = 8 << 10

// Paste types text into a pane, bracketed where the program understands it. Newlines arrive
// as carriage returns, as from a terminal. An empty text is no error. It returns
// engine.ErrDead if the pane's program has ended.
func (s *Server) Paste(ctx context.Context, pane core.PaneID, text []byte) error {
	if len(text) == 0 {
		return nil
	}
	const op = "paste"
	if err := checkPane(pane); err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	buffer := bufferName(s.buffers.Add(1))
	rest := " -p -d -b " + buffer + " -t " + string(pane)
	paste := unlessDead(pane, "if-shell -F "+quote(sanitizes)+" "+quote("paste-buffer -S"+rest)+" "+
		quote("paste-buffer"+rest))
	var out []byte
	var err error
	if len(text) <= maxDirect && bytes.IndexByte(text, 0) < 0 {
		out, err = s.ask(ctx, op, writes, command{"set-buffer", "-b", buffer, "--", string(text)}, paste)
	} else {
		load := []command{{"load-buffer", "-b", buffer, "-"}, paste}
		out, err = s.request(ctx, op, 3*s.timeout,
			func(ctx context.Context) (reply, error) { return s.process.run(ctx, load, text) })
	}
	if err = cmp.Or(err, alive(op, out)); err != nil {
		// A failed paste may have left its buffer; most often there is none.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		s.carry(ctx, writes, []command{{"delete-buffer", "-b", buffer}}) //nolint:errcheck // as said
	}
	return err
}

// Press sends named keys in one request. Without keys it does nothing. It returns
// engine.ErrDead if the pane's program has ended.
func (s *Server) Press(ctx context.Context, pane core.PaneID, keys ...string) error {
	if len(keys) == 0 {
		return nil
	}
	const op = "press keys"
	if err := checkPane(pane); err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	for _, key := range keys {
		if err := engine.CheckKey(key); err != nil {
			return fmt.Errorf("%s: %w", op, err)
		}
	}
	out, err := s.ask(ctx, op, writes, unlessDead(pane, sendKeys(pane, keys)))
	if err != nil {
		return err
	}
	return alive(op, out)
}

// sendKeys is the command that presses keys, in order; tmux has no name for EscapeU.
func sendKeys(pane core.PaneID, keys []string) string {
	var commands []string
	named := false
	for _, key := range keys {
		is := key != engine.EscapeU
		if len(commands) == 0 || is != named {
			commands = append(commands, "send-keys -t "+string(pane)+map[bool]string{true: " --", false: " -H"}[is])
		}
		if named = is; named {
			key = quote(key)
		} else {
			key = strings.TrimSpace(fmt.Sprintf("% x", engine.EscapeUBytes))
		}
		commands[len(commands)-1] += " " + key
	}
	return strings.Join(commands, " ; ")
}

// bufferName is a name that no other caller, process or user has.
func bufferName(number uint64) string {
	return fmt.Sprintf("cupola-%d-%d-%s", os.Getpid(), number, rand.Text())
}

const dead = "dead"

// unlessDead runs script, or says that the pane's program has ended. Without
// this tmux would be silent about keys and, in some versions, crash of a paste.
func unlessDead(pane core.PaneID, script string) command {
	return command{"if-shell", "-F", "-t", string(pane), "#{pane_dead}", "display-message -p " + dead, script}
}

func alive(op string, out []byte) error {
	if firstLine(out) == dead {
		return fmt.Errorf("%s: %w", op, engine.ErrDead)
	}
	return nil
}
