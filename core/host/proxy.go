package host

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/system/shell"
)

// searched is the PATH for programs of a host, where ssh runs no login shell.
const searched = `PATH="$PATH:$HOME/.local/bin:/usr/local/bin:/opt/homebrew/bin"`

// Tool is the line that runs a program of a host, such as tmux: any shell can run it.
func (h *Host) Tool(argv ...string) string {
	return "exec sh -c " + shell.Quote(searched+"; exec "+shell.Line(argv...))
}

// Over returns the command that runs another one on a host without a terminal. The destination must be right.
func (d Dialer) Over(h *Host, argv ...string) []string {
	over, err := d.Argv(h, false, h.Tool(argv...))
	if err != nil {
		return []string{"false"}
	}
	return over
}

// proxy answers for a host without Cupola: a program of this machine that works over the host's tmux. The lifeline ends
// when the host is lost.
type proxy struct {
	*Pipe
	lifeline *Pipe
}

// Close ends the program, and returns why the host was lost.
func (p *proxy) Close() error {
	err := p.Pipe.Close()
	return cmp.Or(p.lifeline.Close(), err)
}

// openProxy opens a host without Cupola, if it has tmux.
func (d Dialer) openProxy(ctx context.Context, h *Host, without *Fault) (*Link, error) {
	lifeline, err := d.start(h, "exec sh -c "+shell.Quote(searched+"; tmux -V && exec cat"))
	if err != nil {
		return nil, err
	}
	version, err := lifeline.greeting(ctx)
	if err != nil {
		if fault, is := errors.AsType[*Fault](err); is && fault.State != Missing {
			return nil, err
		}
		return nil, cmp.Or(ctx.Err(), error(without))
	}
	argv := append(slices.Clone(d.Proxy), "--proxy="+h.Name)
	cmd := exec.Command(argv[0], argv[1:]...) //nolint:noctx // Close ends it
	cmd.Dir = "/"                             // no project is meant
	program, err := begin(h, cmd)
	if err != nil {
		_ = lifeline.Close()
		return nil, err
	}
	go func() {
		_, _ = io.Copy(io.Discard, lifeline.Reader) // it prints nothing more
		_ = program.Close()
	}()
	l, err := NewLink(ctx, h, &proxy{program, lifeline})
	if err != nil {
		_ = lifeline.Close()
		return nil, err
	}
	l.Hello = Hello{Cupola: helloWord, Protocol: Protocol, Tmux: version}
	return l, nil
}

// greeting returns the first line that a program prints, and closes the pipe if there is none in time.
func (p *Pipe) greeting(ctx context.Context) (string, error) {
	read := make(chan string, 1)
	in := bufio.NewReader(p.Reader)
	go func() {
		line, err := in.ReadString('\n')
		if err != nil {
			line = ""
		}
		read <- strings.TrimSpace(line)
	}()
	late := time.NewTimer(cmp.Or(p.host.Timeout, DefaultTimeout))
	defer late.Stop()
	select {
	case line := <-read:
		if line != "" {
			return line, nil
		}
	case <-late.C:
	case <-ctx.Done():
	}
	if err := p.Close(); err != nil {
		return "", err
	}
	return "", core.Errorf(core.NetworkError, "host %s said nothing", p.host.Name)
}
