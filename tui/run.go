package tui

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/core/config"
	"cupola/core/fleet"
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/input"
	"cupola/tui/intent"
	"cupola/tui/screen"
	"cupola/tui/terminal"
)

// Options are the parts and settings of a dashboard; all but Advise are required.
type Options struct {
	Fleet *fleet.Fleet
	Theme *theme.Theme
	// Themes are the themes to choose from; the zero value is none.
	Themes Themes
	// Stdin is the keyboard, Stdout the display.
	Stdin  *os.File
	Stdout io.Writer
	// Pressed is called when keys were pressed; nil is not.
	Pressed func()
	// Dir is the folder in which new sessions start.
	Dir string
	// OwnPane is the pane in which the dashboard runs, which it does not list; empty for none.
	OwnPane core.PaneID
	// Services are the parts that it uses besides the fleet.
	Services effect.Services
	// Keys has the user's own keys; nil has the usual ones.
	Keys *intent.Keymap
	// Own are the user's own commands, with keys in Keys.
	Own map[string]config.OwnCommand
	// Order is how the list is arranged.
	Order screen.Order
	// FirstTime is true where the user has not seen the dashboard before.
	FirstTime bool
	// Notice is a message to begin with; empty for none.
	Notice string
	// Concern finds out what the user should know but need not know at once; it returns an empty text for nothing. nil
	// finds nothing.
	Concern func(context.Context) string
	// Commands and Settings are the entries of the palette besides the rows of the display.
	Commands, Settings []Command
	// Advise returns an error with a hint on what to do; nil leaves errors as they are.
	Advise func(error) *core.Error
	// Log takes log messages.
	Log *slog.Logger
}

// concerned is a warning for the user.
type concerned string

// Run shows the dashboard until its user quits or ctx ends, and returns when all its acts
// have ended. It restores the terminal, however it ends.
func Run(ctx context.Context, opts Options) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	shown := terminal.New(opts.Stdin, opts.Stdout)
	effects, err := effect.Open(ctx, opts.Fleet, shown, opts.Services)
	if err != nil {
		return err
	}
	defer effects.Close()
	defer stop()
	m := &guard{model: newModel(effects, opts.Theme, opts.Dir, time.Now()), show: shown.Show, entitle: shown.Entitle}
	m.model.measure = shown.Measure
	m.model.palette = palette{opts.Commands, opts.Settings}
	m.model.looks.themes = opts.Themes
	m.model.own.commands = opts.Own
	if opts.Keys != nil {
		m.model.world.Keys = opts.Keys
	}
	m.model.choice.Order, m.model.ownPane = opts.Order, opts.OwnPane
	switch {
	case opts.Notice != "":
		m.model.setStatus(theme.Warn, opts.Notice)
	case opts.FirstTime:
		m.model.setStatus(theme.Accent, welcome(m.model))
	}
	if home, err := os.UserHomeDir(); err == nil {
		m.model.world.Home = home
	}
	if host, err := os.Hostname(); err == nil {
		m.model.world.Host = host
	}
	if opts.Advise != nil {
		m.model.advise = opts.Advise
	}
	keyboard := input.New(opts.Stdin)
	keyboard.Pressed = opts.Pressed
	program := tea.NewProgram(m, tea.WithContext(ctx), tea.WithoutRenderer(), tea.WithInput(keyboard),
		tea.WithOutput(io.Discard), tea.WithoutSignalHandler())
	if err := shown.Take(); err != nil {
		return err
	}
	defer shown.Give() //nolint:errcheck // the terminal is gone then
	var beside sync.WaitGroup
	beside.Go(func() { shown.Run(ctx) })
	beside.Go(func() { shown.Follow(ctx, program.Send) })
	if opts.Concern != nil {
		beside.Go(func() { program.Send(concerned(opts.Concern(ctx))) })
	}
	_, err = program.Run()
	left := ctx.Err() != nil
	stop()
	beside.Wait()
	switch {
	case m.fault != nil:
		return m.fault.report(opts.Log)
	case left && m.model.failed == nil:
		return nil
	case errors.Is(err, input.ErrClosed):
		return &core.Error{Code: core.Cancelled, Message: input.ErrClosed.Error(), Err: err}
	case errors.Is(err, tea.ErrProgramPanic):
		return &core.Error{Code: core.InternalError, Message: "the dashboard failed", Err: err}
	case err != nil:
		return err
	}
	return m.model.failed
}
