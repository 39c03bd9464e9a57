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

	"github.com/spf13/pflag"
)

// Options are the flags of the program.
type Options struct {
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
	protocol    bool
	faults      []string
	records     string
}

// Flags adds the program's flags.
func (o *Options) Flags(f *pflag.FlagSet) {
	f.StringVar(&o.name, "name", "scripted", "name in the banner and the title")
	f.StringVar(&o.model, "model", "mock-1", "model in the banner and the footer")
	f.DurationVar(&o.startDelay, "start-delay", 0, "wait before the banner")
	f.BoolVar(&o.dropEarly, "drop-early", false, "lose what is typed before the banner")
	f.DurationVar(&o.settle, "settle", 0, "make a newline of an Enter that comes this soon after a paste")
	f.BoolVar(&o.steer, "steer", false, "put prompts into the running turn instead of the queue")
	f.BoolVar(&o.fullScreen, "full-screen", false, "use the alternate screen")
	f.BoolVar(&o.title, "title", false, "show the state in the terminal's title")
	f.BoolVar(&o.outlive, "outlive", false, "live on after the terminal is gone, until SIGTERM or for 5 minutes")
	f.BoolVar(&o.protocol, "acp", false, "speak the Agent Client Protocol over standard input and output")
	f.StringSliceVar(&o.faults, "fault", nil, "a fault of an agent that speaks the protocol")
	f.StringVar(&o.records, "records", "", "keep what was said over the protocol in this file")
	f.StringVar(&o.log, "log", "", "append one JSON line per event to this file")
	f.Float64Var(&o.speed, "speed", 1,
		"multiply the time that everything takes, --start-delay and --settle apart; 0 is none")
	f.StringVar(&o.script, "script", "", "type the prompts of this file, one a line, over and over")
}

// Main plays the agent and ends the process, if the first argument of the process is "scripted". So a test binary is
// also the program of that kind.
func Main(ctx context.Context) {
	if len(os.Args) < 2 || os.Args[1] != "scripted" {
		return
	}
	os.Exit(run(ctx, os.Args[2:]))
}

// run plays the agent as its arguments say, and returns the exit status.
func run(ctx context.Context, args []string) int {
	var o Options
	flags := pflag.NewFlagSet("scripted", pflag.ContinueOnError)
	o.Flags(flags)
	status, err := 0, flags.Parse(args)
	if err == nil {
		status, err = Play(ctx, o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "scripted:", err)
		return 1
	}
	return status
}

// Play runs the program in this process's terminal and returns its status: 3 for "crash", 128 and the signal's
// number for a signal.
func Play(ctx context.Context, o Options) (status int, err error) {
	if o.speed < 0 || math.IsNaN(o.speed) || math.IsInf(o.speed, 0) {
		return 0, errors.New("the speed must be a number from 0 up")
	}
	if o.protocol {
		p := &Protocol{In: os.Stdin, Out: os.Stdout, Records: o.records, Speed: o.speed}
		for _, fault := range o.faults {
			p.Faults = append(p.Faults, Fault(fault))
		}
		if p.log, err = openEventLog(o.log); err != nil {
			return 0, err
		}
		return p.Run(ctx), p.log.close()
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
func prepare(o Options) (*loop, error) {
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
