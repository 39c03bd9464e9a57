// Package hold runs programs in sandboxes. Outside, a process starts the holder, takes reports of hooks from inside and
// passes signals on. Inside, the first process gives up rights that the holder leaves to it, and starts the program.
package hold

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"

	"cupola/core/agent/sandbox"
	"cupola/core/system/plainfile"
	"cupola/core/system/process"
)

// Options configure a holder.
type Options struct {
	// Plan is the path of the plan, which is removed.
	Plan string
	// Hooked gets what a hook reports that a process inside runs.
	Hooked func(pid int, report *Report)
}

// forwarded are the signals that are passed on to the program.
var forwarded = []os.Signal{
	syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGUSR1,
	syscall.SIGUSR2,
}

// Run holds a sandbox until its program has ended, and returns the program's exit status. All processes of the sandbox
// end with this one.
func Run(ctx context.Context, o Options) (int, error) {
	// The end of the thread that starts the holder ends the sandbox.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	plan, err := read(o.Plan)
	if err != nil {
		return 0, err
	}
	defer plan.tidy(ctx)
	door, err := open(plan.Doorway, o.Hooked)
	if err != nil {
		return 0, err
	}
	defer door.Close()
	if plan.Network == sandbox.NetworkHosts || plan.Network == sandbox.NetworkLoopback {
		if err := plan.takeListeners(ctx); err != nil {
			return 0, err
		}
	}
	if err := plan.prepare(ctx); err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, plan.Holder[0], slices.Concat(plan.Holder[1:], plan.Program)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr //nolint:forbidigo // the program has them
	defer func() {
		for _, file := range cmd.ExtraFiles {
			_ = file.Close()
		}
	}()
	for _, path := range plan.Copies {
		if plan.CopiesInDoorway {
			break
		}
		file, err := plainfile.Open(path)
		if err != nil {
			return 0, err
		}
		cmd.ExtraFiles = append(cmd.ExtraFiles, file)
	}
	cmd.SysProcAttr = attributes()
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, forwarded...)
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("the sandbox %s: %w", plan.Name, err)
	}
	go plan.pass(ctx, signals, cmd.Process.Pid)
	err = cmd.Wait()
	if cmd.ProcessState == nil {
		return 0, err
	}
	if status, is := cmd.ProcessState.Sys().(syscall.WaitStatus); is && status.Signaled() {
		return 128 + int(status.Signal()), nil
	}
	return cmd.ProcessState.ExitCode(), nil
}

// held is a plan in the hands of its holder.
type held struct{ sandbox.Plan }

func read(path string) (*held, error) {
	plan := &held{}
	text, err := plainfile.Read(path, plainfile.Text)
	if err == nil {
		err = json.Unmarshal(text, &plan.Plan)
	}
	if err == nil && (len(plan.Holder) == 0 || len(plan.Program) == 0) {
		err = fmt.Errorf("%s is no plan of a sandbox", path)
	}
	_ = os.Remove(path)
	return plan, err
}

// prepare makes what the holder needs.
func (p *held) prepare(ctx context.Context) error {
	for i, path := range p.Copies {
		if !p.CopiesInDoorway {
			break
		}
		text, err := plainfile.Read(path, plainfile.Text)
		if err == nil {
			err = os.WriteFile(p.Copy(i), text, 0o600)
		}
		if err != nil {
			return err
		}
	}
	if len(p.Before) == 0 {
		return nil
	}
	before := exec.CommandContext(ctx, p.Before[0], p.Before[1:]...)
	before.Stdout, before.Stderr = os.Stderr, os.Stderr //nolint:forbidigo // as its program does
	if err := before.Run(); err != nil {
		return fmt.Errorf("%s: %w", p.Before[0], err)
	}
	return nil
}

// tidy removes what was made for the sandbox alone.
func (p *held) tidy(ctx context.Context) {
	if len(p.Stop) > 0 {
		_ = exec.CommandContext(ctx, p.Stop[0], p.Stop[1:]...).Run()
	}
	_ = os.RemoveAll(p.Doorway)
	for _, folder := range p.Made {
		_ = os.Remove(folder) // only if it is empty
	}
}

// pass passes signals on to the processes inside: the holder's own would end it, and with it all others at once. What
// the terminal sends it sends to all of them itself. A signal that ends a program is passed on again and again to the
// first process inside, which may not listen yet, and which starts no program after it.
func (p *held) pass(ctx context.Context, signals <-chan os.Signal, holder int) {
	var again <-chan time.Time
	var last syscall.Signal
	var since time.Time
	for {
		select {
		case s, open := <-signals:
			if !open {
				return
			}
			number, _ := s.(syscall.Signal)
			if number == syscall.SIGINT || number == syscall.SIGQUIT {
				continue
			}
			if ends(number) {
				if len(p.Stop) > 0 {
					_ = exec.CommandContext(ctx, p.Stop[0], p.Stop[1:]...).Run()
				}
				last, since, again = number, time.Now(), time.Tick(passAgain)
			}
			for _, inside := range process.Tree(holder) {
				if inside.PID != holder || p.By == sandbox.SandboxExec { // which has become the program
					_ = syscall.Kill(inside.PID, number)
				}
			}
		case now := <-again:
			if p.By != sandbox.Bubblewrap || now.Sub(since) > passLongest {
				again = nil
				continue
			}
			for _, inside := range process.Tree(holder) {
				if inside.Parent == holder {
					_ = syscall.Kill(inside.PID, last)
				}
			}
		}
	}
}

// passAgain is how often a signal is passed on again, and passLongest for how long: a sandbox is up by then.
const (
	passAgain   = 50 * time.Millisecond
	passLongest = 10 * time.Second
)

// ends is true for signals that end a program, or its terminal.
func ends(s syscall.Signal) bool { return s == syscall.SIGTERM || s == syscall.SIGHUP }

// open makes the doorway and serves its socket.
func open(folder string, hooked func(int, *Report)) (net.Listener, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	listener, err := net.Listen("unix", filepath.Join(folder, sandbox.DoorName))
	if err != nil {
		return nil, err
	}
	go serve(listener, hooked)
	return listener, nil
}
