package scripted

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// output records what a loop writes; it is safe for concurrent use.
type output struct {
	mu  sync.Mutex
	all strings.Builder
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all.String()
}

// bench runs a loop in a bubble of virtual time, on a terminal made of
// channels.
type bench struct {
	*testing.T
	log     string
	out     output
	input   chan []byte
	signals chan os.Signal
	ended   chan ending
}

// runLoop starts a loop; the bubble's clock moves it.
func runLoop(t *testing.T, o Options) *bench {
	b := &bench{
		T:       t,
		log:     filepath.Join(t.TempDir(), "log"),
		input:   make(chan []byte),
		signals: make(chan os.Signal),
		ended:   make(chan ending, 1),
	}
	o.log = b.log
	l, err := prepare(o)
	if err != nil {
		t.Fatal(err)
	}
	l.painter = newPainter(&b.out, o.fullScreen)
	l.size = func() (int, int) { return 80, 24 }
	l.input, l.signals = b.input, b.signals
	go func() {
		end, err := l.run(t.Context())
		if err != nil {
			t.Error(err)
		}
		_ = l.eventLog.close()
		b.ended <- end
	}()
	synctest.Wait()
	return b
}

func (b *bench) send(text string) {
	b.input <- []byte(text)
	synctest.Wait()
}

// pass lets time pass.
func (b *bench) pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// stop ends the loop and checks that it had not ended before.
func (b *bench) stop() {
	b.Helper()
	b.signals <- syscall.SIGTERM
	if end := <-b.ended; end.code != statusTerminated {
		b.Errorf("ended with %v", end)
	}
}

// prompts checks what the log says was submitted.
func (b *bench) prompts(want ...string) {
	b.Helper()
	if diff := cmp.Diff(want, texts(readLog(b.T, b.log), eventPrompt)); diff != "" {
		b.Errorf("prompts (-want +got):\n%s", diff)
	}
}

func TestEarlyKeysAreKeptOrLost(t *testing.T) {
	for drop, want := range map[bool][]string{false: {"early", "late"}, true: {"late"}} {
		synctest.Test(t, func(t *testing.T) {
			b := runLoop(t, Options{startDelay: 3 * time.Second, dropEarly: drop})
			b.pass(2 * time.Second)
			b.send("early\r")
			if strings.Contains(b.out.String(), MarkBanner) {
				t.Error("the banner is early")
			}
			b.prompts([]string{}...)
			b.pass(2 * time.Second)
			b.send("late\r")
			b.prompts(want...)
			b.stop()
		})
	}
}

func TestALoneEscBecomesAKeyInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := runLoop(t, Options{speed: 1})
		b.send("slow 60\r")
		b.send("\x1b")
		b.pass(escTime)
		if n := len(texts(readLog(t, b.log), eventInterrupt)); n != 1 {
			t.Errorf("%d interrupts", n)
		}
		b.send("x\x1b")
		b.send("[A\r")
		b.prompts("slow 60", "x")
		b.stop()
	})
}

func TestSignalsEndTheProgram(t *testing.T) {
	for s, want := range map[os.Signal]int{syscall.SIGHUP: 129, syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		synctest.Test(t, func(t *testing.T) {
			b := runLoop(t, Options{})
			b.signals <- s
			if end := <-b.ended; end.code != want {
				t.Errorf("%v ends it with %v", s, end)
			}
			if n := len(texts(readLog(t, b.log), eventExit)); n != 1 {
				t.Errorf("%d exits in the log", n)
			}
		})
	}
}

func TestALostTerminalEndsTheProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := runLoop(t, Options{})
		close(b.input)
		if end := <-b.ended; end.code != statusHangup {
			t.Errorf("ended with %v", end)
		}
	})
}

func TestOutliveIgnoresTheLossForFiveMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := runLoop(t, Options{outlive: true, speed: 1})
		b.send("slow 30\r")
		b.signals <- syscall.SIGHUP
		close(b.input)
		synctest.Wait()
		before := b.out.String()
		b.pass(orphanTime - time.Second)
		if b.out.String() != before {
			t.Error("it writes to a terminal that is gone")
		}
		select {
		case end := <-b.ended:
			t.Fatalf("ended early with %v", end)
		default:
		}
		b.pass(2 * time.Second)
		if end := <-b.ended; end.code != statusHangup {
			t.Errorf("ended with %v", end)
		}
	})
}

func TestNothingIsWrittenWhileIdle(t *testing.T) {
	for _, full := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			b := runLoop(t, Options{fullScreen: full, title: true})
			b.pass(time.Second)
			before := len(b.out.String())
			b.pass(time.Hour)
			b.signals <- syscall.SIGWINCH
			synctest.Wait()
			if n := len(b.out.String()) - before; before == 0 || n != 0 {
				t.Errorf("%d bytes written at first, %d while idle", before, n)
			}
			b.stop()
		})
	}
}

func TestScriptIsPlayedInALoop(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	text := "# a fleet that lives\n@pause 5s\n@patience 10s\n\nsay one\napprove\n"
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		b := runLoop(t, Options{speed: 1, script: script})
		b.pass(4900 * time.Millisecond)
		b.prompts([]string{}...)
		b.pass(2 * time.Second)
		b.prompts("say one")
		b.pass(8 * time.Second)
		b.prompts("say one", "approve")
		if got := texts(readLog(t, b.log), eventAnswer); len(got) != 0 {
			t.Errorf("answered after a moment: %v", got)
		}
		b.pass(8 * time.Second)
		if diff := cmp.Diff([]string{"Yes"}, texts(readLog(t, b.log), eventAnswer)); diff != "" {
			t.Error(diff)
		}
		b.pass(7 * time.Second)
		b.prompts("say one", "approve", "say one")
		b.stop()
	})
}

func TestScriptLeavesADraftAlone(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("@pause 5s\nsay one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		b := runLoop(t, Options{speed: 1, script: script})
		b.pass(2 * time.Second)
		b.send("say mine")
		b.pass(time.Hour)
		b.prompts([]string{}...)
		b.send("\r")
		b.pass(8 * time.Second)
		b.prompts("say mine", "say one")
		b.stop()
	})
}

func TestBadScriptsAreRefused(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "@pause soon\nsay x\n", "@wait 5s\nsay x\n"} {
		script := filepath.Join(t.TempDir(), "script")
		if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := loadScript(script, "cc_1"); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

func TestLogKeepsTextsExactly(t *testing.T) {
	for _, text := range []string{"<a> & \u2028 \"q\"\n\ttab 世界", "no \xff UTF-8"} {
		synctest.Test(t, func(t *testing.T) {
			b := runLoop(t, Options{})
			b.send(pasteStart + text + pasteEnd)
			b.send("\r")
			b.stop()
			var got string
			for _, e := range readLog(t, b.log) {
				if e.Event == eventPrompt {
					got = e.Text
					if e.Raw != nil {
						got = string(e.Raw)
					}
				}
			}
			if got != text {
				t.Errorf("submitted %q, logged %q", text, got)
			}
		})
	}
}
