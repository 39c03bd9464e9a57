//go:build agents

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cupola/core/engine/enginetest"
	"cupola/core/fleet/fleettest"
)

// recorded is Python text that lets the model write when each answer to a prompt with a token begins and ends.
const recorded = `
_post = Handler.do_POST
def _recorded(self):
    import io
    body = self.rfile.read(int(self.headers.get("content-length") or 0))
    self.rfile = io.BytesIO(body)
    began = time.time()
    try:
        _post(self)
    finally:
        with lock, open(%q, "a") as f:
            print(json.dumps({"began": began, "ended": time.time(), "token": b"tok" in body}), file=f)
Handler.do_POST = _recorded
`

// modelSpan is when the model worked on an answer.
type modelSpan struct {
	Began, Ended float64
	Token        bool
}

// stateSample is the state of an agent at a time.
type stateSample struct {
	from, to time.Time
	state    string
}

// sideBySide runs the same turns with an agent, by its screen or by protocol.
type sideBySide struct {
	t        *testing.T
	m        *machine
	log      string
	resumes  bool
	harness  *fleettest.Harness
	mu       sync.Mutex
	samples  []stateSample
	stop     chan struct{}
	sampled  chan struct{}
	findings []string
}

// TestRealAgentsByScreenAndByProtocol compares both ways over one script of turns: a prompt, a stream, approvals, a
// cancel, a queue, a kill, usage. By protocol each state must be that of the model's log.
func TestRealAgentsByScreenAndByProtocol(t *testing.T) {
	log := filepath.Join(t.TempDir(), "spans")
	fleettest.Extended(t, fmt.Sprintf(recorded, log))
	for _, kind := range []string{"claude", "codex", "gemini", "qwen", "copilot", "opencode"} {
		for _, by := range []string{"screen", "acp"} {
			for _, engine := range []string{"own", "tmux"} {
				t.Run(kind+"/"+by+"/"+engine, func(t *testing.T) {
					s := &sideBySide{
						t: t, m: withReal(t, kind), log: log, harness: fleettest.Real(t),
						resumes: by == "screen" || kind != "gemini",
						stop:    make(chan struct{}), sampled: make(chan struct{}),
					}
					if by == "acp" && adapters[kind] != "" {
						path := writeAdapter(t, s.harness, kind) + ":" + variable(s.m.environ(), "PATH")
						s.m.more = append(s.m.more, "PATH="+path)
					}
					s.start(kind, by, engine)
					row := s.run()
					row.Kind, row.By, row.Engine = kind, by, engine
					text, _ := json.Marshal(row)
					t.Logf("ROW %s", text)
					for _, finding := range s.findings {
						t.Log("FOUND", finding)
						if by == "acp" {
							t.Error(finding)
						}
					}
				})
			}
		}
	}
}

func (s *sideBySide) start(kind, by, engine string) {
	s.t.Helper()
	dir := filepath.Join(s.m.tmux.Dir, "work")
	if err := os.Mkdir(dir, 0o700); err != nil {
		s.t.Fatal(err)
	}
	args := []string{"spawn", "real", "--dir", dir, "--agents", kind + "=1", "--by", by, "--engine", engine}
	if kind != "opencode" { // it asks as its own configuration says
		args = append(args, "--mode=ask")
	}
	s.m.must(args...)
	s.t.Cleanup(func() { s.m.cupola("kill", "real", "--yes") })
	s.until("idle", time.Minute)
}

// state is the state that Cupola reports.
func (s *sideBySide) state() string {
	var out struct {
		Panes []struct {
			Ordinal int
			State   string
		}
	}
	_ = json.Unmarshal([]byte(s.m.cupola("status", "real", "--robot-format=json").stdout), &out)
	for _, pane := range out.Panes {
		if pane.Ordinal == 1 {
			return pane.State
		}
	}
	return ""
}

func (s *sideBySide) until(state string, within time.Duration) time.Time {
	s.t.Helper()
	enginetest.Eventually(s.t, within, func() bool { return s.state() == state },
		func() string {
			return s.m.cupola("status", "real").stdout + s.m.cupola("tail", "real.1", "--human").stdout
		})
	return time.Now()
}

// sideRow is the outcome of one run.
type sideRow struct {
	Kind, By, Engine          string
	Right, Judged             int
	AlertMS, IdleMS           int64
	Yes, No, Question, Cancel string
	Queue, Resume, Usage      string
}

func (s *sideBySide) sample() {
	defer close(s.sampled)
	for {
		select {
		case <-s.stop:
			return
		default:
		}
		from := time.Now()
		state := s.state()
		s.mu.Lock()
		s.samples = append(s.samples, stateSample{from, time.Now(), state})
		s.mu.Unlock()
	}
}

func (s *sideBySide) run() (r sideRow) {
	go s.sample()
	// A prompt and a stream.
	token := fleettest.Token()
	s.m.must("send", "real.1", "hello "+token, "--wait", "--timeout=1m")
	token = fleettest.Token()
	s.m.must("send", "real.1", "slow 4 "+token, "--wait", "--timeout=1m")
	r.IdleMS = s.since(time.Now())
	// Approvals.
	for _, answer := range []string{"--approve", "--deny"} {
		token = fleettest.Token()
		s.m.must("send", "real.1", "tool-bash `echo x > "+token+"` "+token)
		at := s.until("waiting", time.Minute)
		if answer == "--approve" {
			r.AlertMS = s.since(at)
		}
		out := s.m.callJSON("answer", "real.1", answer, "--timeout=20s")
		s.m.cupola("wait", "real.1", "--timeout=1m")
		_, err := os.Stat(filepath.Join(s.m.tmux.Dir, "work", token))
		word := "ok"
		if made := err == nil; made != (answer == "--approve") || !strings.Contains(out, `"resolved":true`) {
			word = "failed"
			s.found("%s: file %v: %.300s", answer, made, out)
		}
		if answer == "--approve" {
			r.Yes = word
		} else {
			r.No = word
		}
	}
	close(s.stop)
	<-s.sampled
	r.Right, r.Judged = s.judge()
	r.Question, r.Cancel, r.Queue, r.Usage, r.Resume = s.question(), s.cancel(), s.queue(), s.usage(), s.resume()
	return r
}

func (s *sideBySide) found(format string, args ...any) {
	s.findings = append(s.findings, fmt.Sprintf(format, args...))
}

// spans reads the log of the model, the oldest first.
func (s *sideBySide) spans() (all []modelSpan) {
	text, _ := os.ReadFile(s.log)
	for line := range strings.Lines(string(text)) {
		var one modelSpan
		if json.Unmarshal([]byte(line), &one) == nil && one.Token {
			all = append(all, one)
		}
	}
	slices.SortFunc(all, func(a, b modelSpan) int { return int((a.Began - b.Began) * 1e6) })
	return all
}

// since is how long after the model's last answer a moment is, in milliseconds.
func (s *sideBySide) since(at time.Time) int64 {
	spans := s.spans()
	if len(spans) == 0 {
		return -1
	}
	return at.UnixMilli() - int64(spans[len(spans)-1].Ended*1000)
}

// settles is how long a state may lag behind the model's log.
const settles = 700 * time.Millisecond

// judge counts the samples that lie well inside an answer of the model, and those that say that the agent works.
func (s *sideBySide) judge() (right, judged int) {
	wrong := map[string]int{}
	for _, span := range s.spans() {
		began, ended := time.UnixMicro(int64(span.Began*1e6)).Add(settles), time.UnixMicro(int64(span.Ended*1e6))
		for _, one := range s.samples {
			if one.from.After(began) && one.to.Before(ended) {
				judged++
				if one.state == "working" {
					right++
				} else {
					wrong[one.state]++
				}
			}
		}
	}
	if right < judged {
		s.found("while the model wrote, the state was %v", wrong)
	}
	return right, judged
}

// question has the agent ask a question, and chooses the first answer. Not every agent has a tool for that.
func (s *sideBySide) question() string {
	s.m.must("send", "real.1", "tool-ask "+fleettest.Token())
	s.m.cupola("wait", "real.1", "--for=waiting,idle", "--timeout=30s")
	if s.state() != "waiting" {
		s.m.cupola("wait", "real.1", "--timeout=30s")
		return "not asked"
	}
	out := s.m.callJSON("answer", "real.1", "--choose=1", "--timeout=20s")
	s.m.cupola("wait", "real.1", "--timeout=1m")
	if state := s.state(); state != "idle" || !strings.Contains(out, `"resolved":true`) {
		s.found("question: %s after %.400s", state, out)
		return "failed"
	}
	return "ok"
}

func (s *sideBySide) cancel() string {
	s.m.must("send", "real.1", "slow 60 "+fleettest.Token())
	s.until("working", time.Minute)
	began := time.Now()
	out := s.m.callJSON("interrupt", "real.1")
	s.m.cupola("wait", "real.1", "--timeout=20s")
	if state := s.state(); state != "idle" {
		s.found("cancel: %s after %.300s", state, out)
		return "failed"
	}
	took := time.Since(began).Seconds()
	if took > 2.5 {
		s.found("cancel: it took %.1f s until it was known to rest", took)
	}
	return fmt.Sprintf("%.1fs", took)
}

func (s *sideBySide) queue() string {
	first, second := fleettest.Token(), fleettest.Token()+"b"
	s.m.must("send", "real.1", "slow 3 "+first)
	s.until("working", time.Minute)
	out := s.m.callJSON("send", "real.1", "second "+second, "--when=now")
	s.m.cupola("wait", "real.1", "--timeout=1m")
	if len(s.harness.Received(s.t, second)) != 1 || len(s.harness.Received(s.t, first)) < 1 {
		s.found("queue: %d and %d prompts: %.300s", len(s.harness.Received(s.t, first)),
			len(s.harness.Received(s.t, second)), out)
		return "failed"
	}
	_, outcome, _ := strings.Cut(out, `"outcome":"`)
	outcome, _, _ = strings.Cut(outcome, `"`)
	return outcome
}

func (s *sideBySide) usage() string {
	s.m.must("send", "real.1", "usage 30000 "+fleettest.Token(), "--wait", "--timeout=1m")
	out := s.m.callJSON("context", "real.1")
	// What an agent itself says of its context need not be what the model counted.
	if !strings.Contains(out, `"tokens":300`) && !strings.Contains(out, `"source":"protocol"`) {
		s.found("usage: %.400s", out)
		return "unknown"
	}
	return "ok"
}

func (s *sideBySide) resume() string {
	var out struct {
		Details []struct{ PID int } `json:"pane_details"`
	}
	_ = json.Unmarshal([]byte(s.m.cupola("inspect-pane", "real.1", "--robot-format=json").stdout), &out)
	for _, pane := range out.Details {
		if pane.PID > 1 { // its whole session: some agents outlive their first process
			s.m.run(s.m.command("pkill", "-KILL", "-s", fmt.Sprint(pane.PID)))
		}
	}
	for deadline := time.Now().Add(10 * time.Second); s.state() == "idle"; {
		if time.Now().After(deadline) {
			s.found("a killed agent is shown as idle")
			return "failed"
		}
	}
	restarted := s.m.callJSON("restart-pane", "real.1", "--yes")
	if !s.resumes {
		if !strings.Contains(restarted, `"fresh":"`) {
			s.found("a conversation that cannot be taken up was: %.300s", restarted)
		}
		return "begins anew"
	}
	s.until("idle", time.Minute)
	token := fleettest.Token()
	s.m.must("send", "real.1", "hello again "+token, "--wait", "--timeout=1m")
	if strings.Contains(restarted, `"success":false`) || len(s.harness.Received(s.t, token)) != 1 {
		s.found("resume: %.400s", restarted)
		return "failed"
	}
	return "ok"
}
