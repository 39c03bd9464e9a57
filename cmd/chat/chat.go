// Package chat runs the program of a pane by protocol: it starts the agent, shows the conversation with tui/chat,
// serves it to other processes, and reports each state to the terminal.
package chat

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/term"

	"cupola/core"
	"cupola/core/agent/acp"
	"cupola/core/agent/acp/desk"
	"cupola/theme"
	"cupola/tui/chat"
	"cupola/tui/input"
	"cupola/tui/layout"
	"cupola/tui/terminal"
)

// Options say which agent is shown, and where.
type Options struct {
	Name  string
	Agent acp.Options
	Look  *theme.Theme
	In    *os.File
	Out   *os.File
	// Socket is where the conversation is served; empty serves it nowhere.
	Socket string
	// Report is called with each state, in order; nil is not called.
	Report func(desk.State)
	// Began is called once with the agent's id of the session, when the first turn runs: a session without a turn is on
	// no agent's record. Nil is not called.
	Began func(session string)
}

// Run shows a conversation until its user ends it or ctx ends.
func Run(ctx context.Context, opts Options) error {
	if !term.IsTerminal(opts.In.Fd()) || !term.IsTerminal(opts.Out.Fd()) {
		return core.NeedsTerminal(opts.Name)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	p := &program{ctx: ctx, look: opts.Look, out: &screenWriter{file: opts.Out}}
	p.display = terminal.New(opts.In, p.out)
	var began sync.Once
	p.desk = desk.New(time.Now, func(s desk.State) {
		p.out.status(&s)
		if s.State == core.Working && s.Session != "" && opts.Began != nil {
			began.Do(func() { go opts.Began(s.Session) })
		}
		if opts.Report != nil {
			opts.Report(s)
		}
	})
	p.chat = chat.New(opts.Look, opts.Name, p, time.Now)
	starting := p.desk.State()
	p.chat.State(starting)
	p.out.status(&starting)
	if opts.Report != nil {
		opts.Report(starting)
	}
	p.tea = tea.NewProgram(p, tea.WithContext(ctx), tea.WithInput(input.New(opts.In)), tea.WithOutput(io.Discard),
		tea.WithoutRenderer())
	if err := p.display.Take(); err != nil {
		return err
	}
	defer p.display.Give() //nolint:errcheck // the terminal is gone then
	var work sync.WaitGroup
	defer work.Wait()
	defer stop()
	work.Go(func() { p.display.Run(ctx) })
	work.Go(func() { p.display.Follow(ctx, p.tea.Send) })
	if opts.Socket != "" {
		work.Go(func() {
			if err := p.desk.Serve(ctx, opts.Socket); err != nil {
				p.tea.Send(acp.Event{Type: acp.Notice, Text: "other processes cannot reach this: " + err.Error()})
			}
		})
	}
	work.Go(func() { p.start(&opts.Agent) })
	_, err := p.tea.Run()
	p.out.clear()
	p.end()
	if errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		return nil
	}
	return err
}

// program is the screen with what it acts on.
type program struct {
	ctx  context.Context
	tea  *tea.Program
	desk *desk.Desk
	chat *chat.Chat
	look *theme.Theme
	out  *screenWriter
	// display shows frames; frame is the last one.
	display *terminal.Terminal
	frame   terminal.Frame
	size    layout.Rect

	mu     sync.Mutex
	client *acp.Client
}

// start starts the agent.
func (p *program) start(opts *acp.Options) {
	client, err := acp.Open(p.ctx, *opts, func(e acp.Event) {
		p.desk.Take(&e)
		p.tea.Send(e)
	})
	if err != nil {
		failed := (*acp.Failure)(nil)
		if !errors.As(err, &failed) {
			failed = &acp.Failure{Text: err.Error()}
		}
		gone := acp.Event{Type: acp.Gone, Err: failed}
		p.desk.Take(&gone)
		p.tea.Send(gone)
		return
	}
	p.mu.Lock()
	p.client = client
	p.mu.Unlock()
	p.desk.Open(client)
}

// end ends the agent.
func (p *program) end() {
	if client := p.agent(); client != nil {
		client.Close()
		<-client.Done()
	}
}

func (p *program) agent() *acp.Client {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.client
}

var errStarting = errors.New("the agent is still starting")

// Prompt sends a prompt.
func (p *program) Prompt(text string) error {
	client := p.agent()
	if client == nil {
		return errStarting
	}
	_, _, err := client.Prompt(text)
	return err
}

// Cancel interrupts the turn.
func (p *program) Cancel() bool {
	client := p.agent()
	return client != nil && client.Cancel()
}

// Answer answers a request.
func (p *program) Answer(key, option string) bool {
	client := p.agent()
	return client != nil && client.Answer(key, option)
}

// Withdraw takes back the prompts that wait.
func (p *program) Withdraw() []string {
	client := p.agent()
	if client == nil {
		return nil
	}
	return client.Withdraw()
}

// Set sets a setting in the background.
func (p *program) Set(setting, value string) {
	client := p.agent()
	if client == nil {
		return
	}
	go func() {
		if err := client.Set(p.ctx, setting, value); err != nil {
			p.tea.Send(acp.Event{Type: acp.Notice, Text: err.Error()})
		}
	}()
}

// second is when ages are drawn anew.
type second struct{}

func tick() tea.Cmd { return tea.Tick(time.Second, func(time.Time) tea.Msg { return second{} }) }

// Init starts the clock.
func (p *program) Init() tea.Cmd { return tea.Batch(p.display.Measure, tick()) }

// Update takes a key, a size, an event of the conversation or a second, and shows the screen.
func (p *program) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	cmd := p.take(message)
	p.frame.Set(p.look, p.size.W, p.chat.Draw(p.size))
	_, resized := message.(tea.WindowSizeMsg)
	p.display.Show(p.frame.Sent, p.frame.Cursor, resized)
	return p, cmd
}

func (p *program) take(message tea.Msg) tea.Cmd {
	p.chat.State(p.desk.State())
	switch message := message.(type) {
	case tea.WindowSizeMsg:
		p.size = layout.Rect{W: message.Width, H: message.Height}
	case acp.Event:
		p.chat.Take(&message)
	case tea.KeyMsg:
		if p.chat.Press(message) {
			return tea.Quit
		}
	case tea.MouseMsg:
		switch message.Button {
		case tea.MouseButtonWheelUp:
			p.chat.Wheel(-3)
		case tea.MouseButtonWheelDown:
			p.chat.Wheel(3)
		}
	case second:
		return tick()
	}
	return nil
}

// View returns nothing: Update shows what it drew.
func (*program) View() string { return "" }

// screenWriter writes frames and states to the terminal, each whole.
type screenWriter struct {
	mu   sync.Mutex
	file *os.File
}

// Write writes a frame.
func (w *screenWriter) Write(frame []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.file.Write(frame)
}

// Fd is the terminal's descriptor, by which its size is found.
func (w *screenWriter) Fd() uintptr { return w.file.Fd() }

// words are the Program Status Protocol's words for states.
var words = map[core.State]string{
	core.Starting: "working", core.Idle: "idle", core.Working: "working", core.Waiting: "blocked:kind=permission",
	core.Errored: "error", core.Limited: "error", core.Exited: "error",
}

// status reports a state to the terminal (OSC 7501).
func (w *screenWriter) status(s *desk.State) {
	text := "state=" + words[s.State]
	if s.Reason == core.ReasonAuth {
		text += ":kind=auth"
	}
	if s.Line != "" {
		text += ":msg=" + base64.StdEncoding.EncodeToString([]byte(core.Excerpt(s.Line)))
	}
	_, _ = w.Write([]byte("\x1b]7501;" + text + "\x1b\\"))
}

// clear takes the report back.
func (w *screenWriter) clear() { _, _ = w.Write([]byte("\x1b]7501;state=\x1b\\")) }
