package scripted

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

// options are the command's flags.
type options struct {
	name, model string
	startDelay  time.Duration
	settle      time.Duration
	speed       float64
	log, script string
	dropEarly   bool
	steer       bool
	fullScreen  bool
	title       bool
	outlive     bool
}

// Command is the hidden subcommand "scripted". It needs a terminal and ends the process
// itself when the imitated program ends with a status other than zero: 3 for "crash", 128
// and the signal's number for a signal.
func Command() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:    "scripted",
		Short:  "Play a coding agent in this terminal",
		Long:   "Play a coding agent in this terminal. Words in a prompt say what its turn does:\n\n" + Words(),
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			status, err := play(cmd.Context(), o)
			if err == nil && status != 0 {
				os.Exit(status)
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.name, "name", "scripted", "name in the banner and the title")
	f.StringVar(&o.model, "model", "mock-1", "model in the banner and the footer")
	f.DurationVar(&o.startDelay, "start-delay", 0, "wait before the banner")
	f.BoolVar(&o.dropEarly, "drop-early", false, "lose what is typed before the banner")
	f.DurationVar(&o.settle, "settle", 0, "make a newline of an Enter that comes this soon after a paste")
	f.BoolVar(&o.steer, "steer", false, "put prompts into the running turn instead of the queue")
	f.BoolVar(&o.fullScreen, "full-screen", false, "use the alternate screen")
	f.BoolVar(&o.title, "title", false, "show the state in the terminal's title")
	f.BoolVar(&o.outlive, "outlive", false, "live on after the terminal is gone, until SIGTERM or for 5 minutes")
	f.StringVar(&o.log, "log", "", "append one JSON line per event to this file")
	f.Float64Var(&o.speed, "speed", 1,
		"multiply the time that everything takes, --start-delay and --settle apart; 0 is none")
	f.StringVar(&o.script, "script", "", "type the prompts of this file, one a line, over and over")
	return cmd
}

// play runs the program in this process's terminal and returns its status.
func play(ctx context.Context, o options) (status int, err error) {
	if o.speed < 0 || math.IsNaN(o.speed) || math.IsInf(o.speed, 0) {
		return 0, errors.New("--speed must be a number from 0 up")
	}
	l, err := prepare(o)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, l.eventLog.close()) }()

	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM, syscall.SIGWINCH)
	defer signal.Stop(signals)
	t, err := openTerminal(o)
	if err != nil {
		return 0, err
	}
	// A terminal that is gone cannot be restored.
	defer func() { _ = t.close() }()
	done := make(chan struct{})
	defer close(done)

	l.painter = newPainter(t.out, o.fullScreen)
	l.size, l.input, l.signals = t.size, t.read(done), signals
	end, err := l.run(ctx)
	return end.code, err
}

// prepare opens what the program needs in addition to its terminal.
func prepare(o options) (*loop, error) {
	folder, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("find the working folder: %w", err)
	}
	l := &loop{options: o, agent: &agent{traits: traits{
		name:   cmp.Or(o.name, "scripted"),
		model:  o.model,
		folder: folder,
		settle: o.settle,
		steers: o.steer,
		speed:  o.speed,
	}}}
	if o.script != "" {
		if l.player, err = loadScript(o.script, o.name); err != nil {
			return nil, err
		}
	}
	l.eventLog, err = openEventLog(o.log)
	return l, err
}
