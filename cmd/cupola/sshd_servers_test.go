//go:build servers

package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/engine/engines"
	"cupola/core/engine/enginetest"
	"cupola/core/system/process"
)

// sshd is the server of OpenSSH, in front of a home of its own.
type sshd struct {
	m      *machine
	config string
	cmd    *exec.Cmd
}

// addSSHD gives the machine another host that only the real ssh reaches.
func (m *machine) addSSHD(name string) *sshd {
	m.t.Helper()
	const program = "/usr/sbin/sshd"
	if _, err := os.Stat(program); err != nil {
		m.t.Fatal("sshd is missing: apt install openssh-server")
	}
	home := filepath.Join(m.tmux.Dir, "hosts", name)
	write := func(path, text string) {
		m.t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			m.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			m.t.Fatal(err)
		}
	}
	write(filepath.Join(home, ".config", "cupola", "config.toml"), "[engine]\nkind = \"own\"\n")
	if err := os.Mkdir(filepath.Join(home, "run"), 0o700); err != nil {
		m.t.Fatal(err)
	}
	for _, key := range []string{"host", "user"} {
		path := filepath.Join(home, key)
		out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path).CombinedOutput()
		if err != nil {
			m.t.Fatalf("ssh-keygen: %v %s", err, out)
		}
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		m.t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(free.Addr().String())
	_ = free.Close()
	s := &sshd{m: m, config: filepath.Join(home, "sshd_config")}
	write(s.config, fmt.Sprintf("Port %s\nListenAddress 127.0.0.1\nHostKey %s/host\nAuthorizedKeysFile %s/user.pub\n"+
		"StrictModes no\nUsePAM no\nPidFile none\nSetEnv HOME=%s XDG_RUNTIME_DIR=%s/run PATH=%s\n",
		port, home, home, home, home, os.Getenv("PATH")))
	me, err := user.Current()
	if err != nil {
		m.t.Fatal(err)
	}
	own := filepath.Join(m.home, ".config", "cupola", "config.toml")
	before, _ := os.ReadFile(own) // there may be none
	write(own, fmt.Sprintf("%s[hosts.%s]\nssh = \"%s@127.0.0.1\"\nprogram = %q\noptions = [\"-F\", \"none\", "+
		"\"-p\", %q, \"-i\", %q, \"-o\", \"IdentitiesOnly=yes\", \"-o\", \"UserKnownHostsFile=%s/known\", "+
		"\"-o\", \"StrictHostKeyChecking=accept-new\"]\n", before, name, me.Username, m.program, port,
		filepath.Join(home, "user"), home))
	s.start()
	m.t.Cleanup(func() {
		s.stop()
		enginetest.StopOwn(m.t, engines.SocketIn(filepath.Join(home, "run", "cupola")))
	})
	return s
}

func (s *sshd) start() {
	s.m.t.Helper()
	s.cmd = exec.Command("/usr/sbin/sshd", "-D", "-f", s.config, "-E", s.config+".log")
	if err := s.cmd.Start(); err != nil {
		s.m.t.Fatal(err)
	}
}

// cut kills what serves the connections that are open.
func (s *sshd) cut() {
	for _, p := range process.Tree(s.cmd.Process.Pid) {
		if p.PID != s.cmd.Process.Pid && strings.HasPrefix(p.Name, "sshd") {
			_ = syscall.Kill(p.PID, syscall.SIGKILL) // it may have ended
		}
	}
}

// stop ends the server and its connections.
func (s *sshd) stop() {
	s.cut()
	_ = s.cmd.Process.Kill() // it may have ended
	_ = s.cmd.Wait()
}

// Prompts over a real ssh whose connections are cut at random are delivered once, or reported as not.
func TestPromptsOverALinkThatIsCutAreDeliveredOnce(t *testing.T) {
	const prompts, cuts = 40, 12
	m := newMachine(t)
	s := m.addSSHD("gpu1")
	enginetest.Eventually(t, testTimeout, func() bool { return m.cupola("hosts-check", "gpu1").status == 0 },
		func() string { return m.cupola("hosts-check", "gpu1").stdout })
	if got := m.cupola("spawn", "gpu1/api", "--agents=scripted=1", "--wait-ready"); got.status != 0 {
		t.Fatalf("spawn: %+v", got)
	}
	var cutting sync.WaitGroup
	done := make(chan struct{})
	cutting.Go(func() {
		for range cuts {
			select {
			case <-done:
				return
			case <-time.After(time.Duration(200+rand.IntN(1500)) * time.Millisecond):
				s.cut()
			}
		}
	})
	delivered, failed := map[string]bool{}, map[string]string{}
	for i := range prompts {
		text := fmt.Sprintf("say word-%d-", i)
		if got := m.cupola("send", "gpu1/api.1", text); got.status == 0 {
			delivered[text] = true
		} else {
			failed[text] = got.stdout
		}
	}
	close(done)
	cutting.Wait()
	var answer struct {
		Prompts []struct {
			Text       string
			Deliveries []struct{ Outcome core.Outcome }
		}
	}
	enginetest.Eventually(t, testTimeout, func() bool {
		got := m.cupola("history", "--host=gpu1", "--last=500")
		return got.status == 0 && json.Unmarshal([]byte(got.stdout), &answer) == nil
	}, func() string { return "history" })
	times := map[string]int{}
	for _, p := range answer.Prompts {
		for _, d := range p.Deliveries {
			if d.Outcome.Taken() {
				times[p.Text]++
			}
		}
	}
	for text := range delivered {
		if times[text] != 1 {
			t.Errorf("%q was reported as delivered, and was %d times", text, times[text])
		}
	}
	for text, why := range failed {
		open := strings.Contains(why, "may be done") || strings.Contains(why, "cut off")
		if times[text] > 1 || times[text] == 1 && !open {
			t.Errorf("%q was delivered %d times, and reported as: %s", text, times[text], why)
		}
	}
	t.Logf("%d delivered, %d reported as not", len(delivered), len(failed))
	if len(delivered) < prompts/2 {
		t.Errorf("only %d of %d were delivered: %v", len(delivered), prompts, failed)
	}
	m.cupola("kill", "gpu1/api", "--yes")
}
