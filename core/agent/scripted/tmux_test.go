package scripted

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cupola/core/engine/enginetest"
)

// pane is the program in a pane of a tmux server of its own.
type pane struct {
	*testing.T
	socket, log string
}

// newPane starts the program with arguments in an 80x24 pane and waits for it.
func newPane(t *testing.T, args ...string) *pane {
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	t.Parallel()
	dir := enginetest.ShortDir(t)
	p := &pane{T: t, socket: filepath.Join(dir, "s"), log: filepath.Join(dir, "log")}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.command("kill-server").Run() })
	start := append([]string{
		"new-session", "-d", "-x", "80", "-y", "24", "-e", playVariable + "=1", "--", self, "--log", p.log,
	}, args...)
	p.tmux(start...)
	p.logged(eventReady, 1)
	return p
}

func (p *pane) command(args ...string) *exec.Cmd {
	cmd := exec.Command("tmux", append([]string{"-S", p.socket, "-f", os.DevNull}, args...)...)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "TMUX") && !strings.HasPrefix(v, "LC_") && !strings.HasPrefix(v, "LANG") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "LC_ALL=C.UTF-8")
	return cmd
}

// tmux runs one tmux command.
func (p *pane) tmux(args ...string) string {
	p.Helper()
	out, err := p.command(args...).CombinedOutput()
	if err != nil {
		p.Fatalf("tmux %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// paste pastes text as Cupola does.
func (p *pane) paste(text string) {
	p.Helper()
	load := p.command("load-buffer", "-b", "x", "-")
	load.Stdin = strings.NewReader(text)
	if out, err := load.CombinedOutput(); err != nil {
		p.Fatalf("load-buffer: %v\n%s", err, out)
	}
	p.tmux("paste-buffer", "-p", "-d", "-b", "x")
}

func (p *pane) press(keys ...string) {
	p.Helper()
	p.tmux(append([]string{"send-keys"}, keys...)...)
}

func (p *pane) screen() string {
	p.Helper()
	return p.tmux("capture-pane", "-p")
}

// history is the screen and all that was scrolled off it.
func (p *pane) history() string {
	p.Helper()
	return p.tmux("capture-pane", "-p", "-S", "-")
}

// sees waits for a line on the screen.
func (p *pane) sees(line string) {
	p.Helper()
	eventually(p.T, fmt.Sprintf("the line %q", line), func() bool {
		return strings.Contains("\n"+p.screen(), "\n"+line+"\n")
	}, p.screen)
}

// logged waits for a number of events and returns their texts.
func (p *pane) logged(name eventName, count int) []string {
	p.Helper()
	var got []string
	eventually(p.T, fmt.Sprintf("%d events %s", count, name), func() bool {
		got = texts(readLog(p.T, p.log), name)
		return len(got) >= count
	}, func() string { return fmt.Sprint(readLog(p.T, p.log), "\n", p.screen()) })
	return got
}

// prompts waits for as many prompts as are wanted and compares them.
func (p *pane) prompts(want ...string) {
	p.Helper()
	if diff := cmp.Diff(want, p.logged(eventPrompt, len(want))); diff != "" {
		p.Errorf("prompts (-want +got):\n%s", diff)
	}
}

func TestTmuxPasteArrivesOnceAndExactly(t *testing.T) {
	p := newPane(t, "--speed", "0")
	text := "say \"quotes\" $HOME `x` 世界\n\ttab  \nend"
	p.paste(text)
	p.sees("  end")
	p.press("Enter")
	p.sees("- done in 0s")
	p.prompts(text)
}

func TestTmuxCollapsedPasteIsSubmittedWhole(t *testing.T) {
	p := newPane(t, "--speed", "0")
	long := "keep " + strings.Repeat("0123456789 line\n", 60) + "end"
	p.paste(long)
	p.sees("› [Pasted 61 lines]")
	p.press("Enter")
	p.sees("> [Pasted 61 lines]")
	wide := "keep " + strings.Repeat("é", 1200)
	p.paste(wide)
	p.sees("› [Pasted 1205 chars]")
	p.press("Enter")
	p.prompts(long, wide)
}

func TestTmuxEnterWithinTheSettleWindowIsANewline(t *testing.T) {
	p := newPane(t, "--speed", "0", "--settle", "1h")
	p.paste("say settled")
	p.sees("› say settled")
	p.press("Enter")
	// The newline gives the composer a second row.
	eventually(t, "a second row", func() bool {
		return strings.Contains(p.screen(), "› say settled\n\n───")
	}, p.screen)
	if prompts := p.logged(eventPrompt, 0); len(prompts) > 0 {
		t.Errorf("submitted were %q", prompts)
	}
}

func TestTmuxApproval(t *testing.T) {
	p := newPane(t, "--speed", "0")
	p.press("approve tool make deploy", "Enter")
	p.sees(HintDialog)
	p.sees("› 1. Yes")
	if got := strings.TrimSpace(p.tmux("display-message", "-p", "#{cursor_flag}")); got != "0" {
		t.Error("the cursor shows beside a dialog")
	}
	p.press("Down")
	p.sees("› 2. No")
	p.press("Up", "Enter")
	p.sees("■ make deploy")
	p.press("approve", "Enter")
	p.sees(HintDialog)
	p.press("2")
	p.sees("- declined")
	if diff := cmp.Diff([]string{"Yes", "No"}, p.logged(eventAnswer, 2)); diff != "" {
		t.Error(diff)
	}
}

func TestTmuxEscInterrupts(t *testing.T) {
	p := newPane(t)
	p.press("slow 600", "Enter")
	p.sees("  esc to interrupt · mock-1")
	p.press("Escape")
	p.sees("- interrupted")
	p.logged(eventInterrupt, 1)
}

func TestTmuxInlineKeepsItsScrollback(t *testing.T) {
	p := newPane(t, "--speed", "0")
	p.press("stream 60", "Enter")
	p.sees("- done in 0s")
	p.press("say last", "Enter")
	p.sees("> say last")
	history := p.history()
	for want, count := range map[string]int{
		"◆ ": 1, "> stream 60\n": 1, MarkReply: 63, "- done in 0s\n": 2, "› ": 1,
		"  ? for help": 1,
	} {
		if n := strings.Count("\n"+history, "\n"+want); n != count {
			t.Errorf("%q is there %d times, want %d:\n%s", want, n, count, history)
		}
	}
}

func TestTmuxFullScreenHasNoScrollback(t *testing.T) {
	p := newPane(t, "--speed", "0", "--full-screen", "--title", "--name", "cc_9")
	p.press("stream 60", "Enter")
	p.sees("- done in 0s")
	got := ""
	eventually(t, "a full screen without history, and the title of one who rests", func() bool {
		got = p.tmux("display-message", "-p", "#{alternate_on} #{history_size} #{pane_title}")
		return got == "1 0 cc_9 · idle\n"
	}, func() string { return got })
	lines := strings.Split(p.screen(), "\n")
	if lines[22] == "" || !strings.HasPrefix(lines[23], "  ? for help") {
		t.Errorf("the footer is not at the bottom:\n%s", strings.Join(lines, "\n"))
	}
}

func TestTmuxResizeLeavesOneComposer(t *testing.T) {
	for name, args := range map[string][]string{"inline": nil, "full screen": {"--full-screen"}} {
		t.Run(name, func(t *testing.T) {
			p := newPane(t, args...)
			p.press("slow 600 世界", "Enter")
			p.sees("> slow 600 世界")
			p.press("say what comes next, in more than forty columns", "Enter")
			p.press("a draft that is too long for forty columns of a terminal")
			for _, size := range [][2]string{{"40", "24"}, {"100", "12"}, {"50", "30"}, {"80", "24"}} {
				p.tmux("resize-window", "-x", size[0], "-y", size[1])
				p.settled(size[0])
			}
		})
	}
}

// settled waits until the screen shows exactly one composer of that width.
func (p *pane) settled(width string) {
	p.Helper()
	var columns int
	_, _ = fmt.Sscan(width, &columns)
	eventually(p.T, "one composer "+width+" wide", func() bool {
		screen := "\n" + p.screen()
		return strings.Count(screen, "\n"+strings.Repeat(MarkRule, columns)+"\n") == 2 &&
			strings.Count(screen, MarkRule) == 2*columns &&
			strings.Count(screen, "\n"+MarkComposer) == 1 &&
			strings.Count(screen, "\n"+MarkBusy) == 1 &&
			strings.Count(screen, "\n"+MarkQueued) == 1 &&
			strings.Count(screen, "\n  "+HintInterrupt) == 1
	}, p.screen)
}

func TestTmuxOutlivesItsPane(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("@pause 0s\nx\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newPane(t, "--outlive", "--speed", "0", "--script", script)
	proc := process(t, strings.TrimSpace(p.tmux("display-message", "-p", "#{pane_pid}")))
	p.tmux("kill-server")
	p.logged(eventPrompt, len(texts(readLog(t, p.log), eventPrompt))+20)
	terminate(t, proc)
	if got := p.logged(eventExit, 1); got[0] != "terminated" {
		t.Errorf("it ended with %q", got)
	}
}

func TestTmuxEndsWithItsPane(t *testing.T) {
	p := newPane(t)
	p.tmux("kill-server")
	p.logged(eventExit, 1)
}
