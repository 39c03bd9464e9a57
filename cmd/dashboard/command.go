package dashboard

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/creack/pty"

	"cupola/tui/effect"
)

// mostOutput is how much of a command's output is kept, in bytes.
const mostOutput = 4 << 20

// runCommand runs commands of this program on a server, on a terminal of their own and for a display of some size, so
// that they print as for people. They have no keyboard: what would be asked for is an error.
func (d *Dashboard) runCommand(server string) effect.Command {
	return func(ctx context.Context, words []string, width, height int) (string, error) {
		display, inner, err := pty.Open()
		if err != nil {
			return "", err
		}
		defer display.Close()
		defer inner.Close()
		const rows = 1000 // what fits is not paged
		if err := pty.Setsize(inner, &pty.Winsize{Rows: rows, Cols: uint16(max(20, min(width, 1000)))}); err != nil {
			return "", err
		}
		cmd := exec.CommandContext(ctx, d.Env.Self, words...)
		cmd.Stdout, cmd.Stderr = inner, inner
		cmd.Env = append(os.Environ(), "CUPOLA_ENGINE_SOCKET="+server, "CUPOLA_ROBOT=0",
			fmt.Sprintf("LINES=%d", height))
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			return "", err
		}
		_ = inner.Close() // the command has its own
		var text strings.Builder
		// Reading a terminal fails once its other side is closed.
		_, _ = io.Copy(&text, io.LimitReader(display, mostOutput))
		_, _ = io.Copy(io.Discard, display)
		if err := cmd.Wait(); err != nil {
			return text.String(), fmt.Errorf("ended with %w", err)
		}
		return text.String(), nil
	}
}
