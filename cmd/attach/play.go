package attach

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/term"

	"cupola/core"
	screen "cupola/core/term"
	"cupola/core/term/cast"
	"cupola/core/term/cells"
)

const (
	// longestPause is the longest that nothing happens while a recording is played.
	longestPause = 2 * time.Second
	// leap is how far the arrows go.
	leap = 10 * time.Second
)

// Playback is a recording that is played on a terminal.
type Playback struct {
	Recording *cast.Recording
	// FromEnd begins with what was recorded last.
	FromEnd bool
	In, Out *os.File
}

// Play plays a recording on the user's terminal until the user leaves.
func Play(ctx context.Context, b Playback) error {
	if !term.IsTerminal(b.In.Fd()) || !term.IsTerminal(b.Out.Fd()) {
		return core.NeedsTerminal("replay-pane")
	}
	_, err := tea.NewProgram(newPlayer(b),
		tea.WithContext(ctx), tea.WithInput(b.In), tea.WithOutput(b.Out), tea.WithAltScreen()).Run()
	return err
}

func newPlayer(b Playback) *player {
	p := &player{recording: b.Recording, speed: 1}
	p.seek(0)
	if b.FromEnd {
		p.seek(b.Recording.Length())
	}
	return p
}

// player is the screen on which a recording is played.
type player struct {
	recording *cast.Recording
	terminal  *screen.Terminal
	// next is the event that comes next, at the time that was played last.
	next   int
	at     time.Duration
	paused bool
	speed  int
	// turn distinguishes the ticks before and after a leap.
	turn          int
	width, height int
}

// tick has the next event played.
type tick struct{ turn int }

// Init begins to play.
func (p *player) Init() tea.Cmd { return p.wait() }

// wait waits for the next event; nothing if there is none or the user has paused.
func (p *player) wait() tea.Cmd {
	if p.paused || p.next >= len(p.recording.Events) {
		return nil
	}
	pause := min(p.recording.Events[p.next].At-p.at, longestPause) / time.Duration(p.speed)
	turn := p.turn
	return tea.Tick(max(pause, 0), func(time.Time) tea.Msg { return tick{turn} })
}

// Update plays the next event, or takes a key.
func (p *player) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		p.width, p.height = msg.Width, msg.Height
	case tick:
		if msg.turn != p.turn {
			return p, nil
		}
		// What happened within a frame is played at once.
		const frame = 20 * time.Millisecond
		for end := p.recording.Events[p.next].At + frame; p.next < len(p.recording.Events); p.next++ {
			e := p.recording.Events[p.next]
			if e.At > end {
				break
			}
			cast.Apply(p.terminal, e)
			p.at = e.At
		}
		cmd := p.wait()
		return p, cmd
	case tea.KeyMsg:
		cmd := p.press(msg.String())
		return p, cmd
	}
	return p, nil
}

func (p *player) press(key string) tea.Cmd {
	switch key {
	case "q", "esc", "ctrl+c", "ctrl+\\":
		return tea.Quit
	case " ":
		p.paused = !p.paused
	case "right":
		p.seek(p.at + leap)
	case "left":
		p.seek(p.at - leap)
	case ".":
		p.paused = true
		if p.next < len(p.recording.Events) {
			p.seek(p.recording.Events[p.next].At)
		}
	case ",":
		p.paused = true
		p.seek(p.before())
	case "home", "g":
		p.seek(0)
	case "end", "G":
		p.seek(p.recording.Length())
	case "+":
		p.speed = min(p.speed*2, 16)
	case "-":
		p.speed = max(p.speed/2, 1)
	default:
		return nil
	}
	p.turn++
	return p.wait()
}

// seek goes to a time.
func (p *player) seek(at time.Duration) {
	p.at = min(max(at, 0), p.recording.Length())
	p.terminal = p.recording.ScreenAt(p.at)
	later := func(e cast.Event) bool { return e.At > p.at }
	if p.next = slices.IndexFunc(p.recording.Events, later); p.next < 0 {
		p.next = len(p.recording.Events)
	}
}

// before is when the last change but one of what shows was.
func (p *player) before() time.Duration {
	events := p.recording.Events[:p.next]
	for i := len(events) - 1; i >= 0; i-- {
		if events[i].At < p.at {
			return events[i].At
		}
	}
	return 0
}

// View draws the recorded screen, and a line about where this is.
func (p *player) View() string {
	lines := p.terminal.Styled()
	lines = lines[:min(len(lines), max(0, p.height-1))]
	for i := range lines {
		lines[i] = cells.Cut(lines[i], p.width, "")
	}
	for len(lines) < p.height-1 {
		lines = append(lines, "")
	}
	state := "plays"
	switch {
	case p.next >= len(p.recording.Events):
		state = "has ended"
	case p.paused:
		state = "pauses"
	}
	at, length := p.at.Round(time.Second), p.recording.Length().Round(time.Second)
	foot := fmt.Sprintf("%s of %s, %s, %dx   q ends   space pauses   left, right 10 s   , . one change   + - speed",
		core.ShortDuration(at), core.ShortDuration(length), state, p.speed)
	return strings.Join(append(lines, cells.Cut(foot, p.width, "…")), "\n")
}
