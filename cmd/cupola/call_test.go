package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"cupola/cmd/cli"
)

// callsVariable makes the program, as the test binary, answer one call after another.
const callsVariable = "CUPOLA_TEST_CALLS"

// call is a command line, with its standard input. Dir and Environ are its folder and its whole environment, unless
// they are the process's.
type call struct {
	Args    []string
	Stdin   string
	Dir     string
	Environ []string
}

// reply is the output and the status of a call.
type reply struct {
	Stdout, Stderr []byte
	Status         int
}

// mainOrCalls is the program, or answers the calls that come on standard input with it.
func mainOrCalls() {
	if os.Getenv(callsVariable) == "" {
		main()
		return
	}
	os.Unsetenv(callsVariable) // for the programs that calls start
	calls, replies := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	files, err := unnamed()
	for err == nil {
		var c call
		if err := calls.Decode(&c); err != nil {
			return
		}
		var r reply
		if r, err = answerCall(c, files); err == nil {
			err = replies.Encode(r)
		}
	}
	panic(err)
}

// unnamed returns files in place of the three standard ones, which serve all calls of a process: thousands of new ones
// would keep the file system busy.
func unnamed() (files [3]*os.File, err error) {
	for i := range files {
		if files[i], err = os.CreateTemp("", "call"); err != nil {
			return files, err
		}
		if err := os.Remove(files[i].Name()); err != nil {
			return files, err
		}
	}
	return files, nil
}

// answerCall runs the program in this process.
func answerCall(c call, files [3]*os.File) (r reply, err error) {
	if c.Environ != nil {
		os.Clearenv()
		for _, pair := range c.Environ {
			name, value, _ := strings.Cut(pair, "=")
			if err := os.Setenv(name, value); err != nil {
				return reply{}, err
			}
		}
	}
	if c.Dir != "" {
		if err := os.Chdir(c.Dir); err != nil {
			return reply{}, err
		}
	}
	for _, file := range files {
		_, sought := file.Seek(0, io.SeekStart)
		if err := errors.Join(sought, file.Truncate(0)); err != nil {
			return reply{}, err
		}
	}
	if _, err := files[0].WriteAt([]byte(c.Stdin), 0); err != nil {
		return reply{}, err
	}
	r.Status = cli.Main(cli.Options{
		Version: version, Args: c.Args, Stdin: files[0], Stdout: files[1], Stderr: files[2], Getenv: os.Getenv,
	})
	for i, out := range []*[]byte{&r.Stdout, &r.Stderr} {
		file := files[1+i]
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return reply{}, err
		}
		if *out, err = io.ReadAll(file); err != nil {
			return reply{}, err
		}
	}
	return r, nil
}

// callers are the processes of a machine that answer calls, and have none at the moment.
type callers struct {
	mu   sync.Mutex
	idle []*caller
}

// caller is a process that answers calls.
type caller struct {
	cmd     *exec.Cmd
	calls   io.WriteCloser
	encoder *json.Encoder
	replies *json.Decoder
}

// call answers as the program does, in a process that answered other calls before: it takes ten times
// as long to start the program as to answer most calls. What is about the process itself, such as its
// path, terminal and signals, and output that comes bit by bit, wants m.cupola.
func (m *machine) call(args ...string) answer {
	m.t.Helper()
	return m.callWith("", args...)
}

// callWith is call with something on standard input.
func (m *machine) callWith(stdin string, args ...string) answer {
	m.t.Helper()
	return m.have(call{Args: args, Stdin: stdin})
}

// have has a call answered.
func (m *machine) have(of call) answer {
	m.t.Helper()
	args := of.Args
	c := m.caller()
	late := time.AfterFunc(testTimeout, func() { c.cmd.Process.Kill() })
	defer late.Stop()
	var r reply
	if err := c.encoder.Encode(of); err != nil {
		m.t.Fatalf("%q: %v", args, err)
	}
	if err := c.replies.Decode(&r); err != nil {
		m.t.Fatalf("%q: %v", args, err)
	}
	m.callers.mu.Lock()
	defer m.callers.mu.Unlock()
	m.callers.idle = append(m.callers.idle, c)
	return answer{string(r.Stdout), string(r.Stderr), r.Status}
}

// caller is one without a call, or a new one.
func (m *machine) caller() *caller {
	m.t.Helper()
	m.callers.mu.Lock()
	defer m.callers.mu.Unlock()
	if last := len(m.callers.idle) - 1; last >= 0 {
		c := m.callers.idle[last]
		m.callers.idle = m.callers.idle[:last]
		return c
	}
	program, err := exec.LookPath("cupola") // the test binary, by testscript.Main
	if err != nil {
		m.t.Fatal(err)
	}
	cmd := m.command(program)
	cmd.Env = append(cmd.Env, callsVariable+"=1")
	calls, err1 := cmd.StdinPipe()
	replies, err2 := cmd.StdoutPipe()
	cmd.Stderr = os.Stderr
	// Without a terminal of its own it cannot reach that of the tests.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		m.t.Fatal(err)
	}
	return &caller{cmd, calls, json.NewEncoder(calls), json.NewDecoder(replies)}
}

// end ends the processes, which have no call at the end of a test.
func (c *callers) end(t testing.TB) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range c.idle {
		if err := errors.Join(one.calls.Close(), one.cmd.Wait()); err != nil {
			t.Errorf("a process that answered calls: %v", err)
		}
	}
	c.idle = nil
}
