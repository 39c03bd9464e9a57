package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"cupola/cmd/demo"
	"cupola/cmd/look"
	"cupola/cmd/records"
	"cupola/core"
	"cupola/core/config"
	"cupola/core/fleet"
	"cupola/core/record/store"
	"cupola/core/system/shell"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// demoIn are the flags of the demo.
type demoIn struct {
	Keep bool `help:"Leave it up, and say how to reach it"`
	Stop bool `help:"End the demo that was kept"`
}

// demoFlags binds the flags of the demo and makes its usage errors.
var demoFlags = registry.Define(registry.Spec[*verb.Env, demoIn, struct{}]{Name: "demo"})

// demoRunner shows, keeps or stops a demo.
type demoRunner struct {
	opts   *Options
	wiring *wiring
	out    *faces
	// dashboard shows a fleet until its user quits.
	dashboard func(context.Context, *fleet.Fleet, *wiring) error
	demoIn
}

// command makes the subcommand that shows a fleet of scripted agents.
func (d *demoRunner) command() *cobra.Command {
	return subcommand(&cobra.Command{
		Use: "demo", Short: "Try everything on a private fleet of scripted agents",
		Long: "Starts nine scripted agents in three sessions, on a terminal server of their own, and shows them.\n" +
			"No agent need be installed, and nothing is left when you quit. For programs, the demo is kept.",
		Example: examples([]string{"cupola demo", "cupola demo --keep", "cupola demo --stop"}),
	}, demoFlags, func(ctx context.Context, in demoIn) error {
		d.demoIn = in
		return d.run(ctx)
	})
}

// run does what the flags say. Programs have no display, so their answer says how to reach a
// demo.
func (d *demoRunner) run(ctx context.Context) error {
	switch {
	case d.Keep && d.Stop:
		return registry.Conflict("--keep", "--stop")
	case d.Stop:
		return d.end(ctx)
	}
	opts := d.options()
	if d.Keep || d.out.line.robotic {
		return d.keepDemo(ctx, opts)
	}
	if err := demo.Run(ctx, opts, d.show); err != nil {
		return err
	}
	fmt.Fprintln(d.opts.Stderr, "The demo has ended: its agents are gone, and nothing of it is left.")
	return nil
}

func (d *demoRunner) options() demo.Options {
	paths := config.PathsOf(d.opts.Getenv)
	settings := config.Load(paths, d.opts.Getenv)
	kinds := verb.Kinds(paths)
	return demo.Options{
		Self: self(), Kinds: kinds, Engine: settings.Engine.Kind, Transport: settings.Engine.Transport,
		Own: ownOptions(d.opts.Version, ""), Journal: d.record, Spent: d.spent, Log: d.wiring.env.Log,
	}
}

// record opens the journal in the demo's own directory.
func (d *demoRunner) record(socket string) fleet.Journal { return d.recordsOf(socket).Journal(socket) }

// recordsOf are the records in the demo's own directory, which the dashboard reads too.
func (d *demoRunner) recordsOf(socket string) *records.Records {
	if paths := demo.Paths(config.PathsOf(d.opts.Getenv), socket); d.wiring.records.Paths != paths {
		d.wiring.record(paths)
	}
	return d.wiring.records
}

// spent records what agents used in the demo's own directory, in which the dashboard counts it, too.
func (d *demoRunner) spent(ctx context.Context, socket string, parts []store.UsagePart) error {
	records, err := d.recordsOf(socket).Budget().Write(ctx)
	if err != nil {
		return err
	}
	if err := store.UsageIn(records).Save(ctx, parts); err != nil {
		return err
	}
	files := core.Map(parts, func(u store.UsagePart) store.UsageFile { return u.File })
	return store.UsageIn(records).Own(ctx, files)
}

// reach returns the command after which all others use a demo.
func reach(socket string) string { return shell.Line("export", socketVariable+"="+socket) }

// show opens the dashboard on the fleet; without a terminal to open it on, it prints the
// status and how to reach the demo, and waits for Enter.
func (d *demoRunner) show(ctx context.Context, f *fleet.Fleet, socket string) error {
	defer d.wiring.records.Close() //nolint:errcheck // they are removed with the demo
	if look.Terminal(d.opts.Stdin) && look.Terminal(d.opts.Stdout) {
		return d.dashboard(ctx, f, d.wiring.onSocket(socket))
	}
	return d.describe(ctx, f, socket)
}

func (d *demoRunner) describe(ctx context.Context, f *fleet.Fleet, socket string) error {
	status := d.wiring.catalog.Find("status")
	deps := &verb.Env{OpenFleet: func() (*fleet.Fleet, error) { return f, nil }}
	deps.Getenv = func(string) string { return "" } // no home: only what runs in the demo is shown
	deps.Catalog, deps.Version, deps.Human, deps.Log = d.wiring.catalog, d.opts.Version, true, d.wiring.env.Log
	reply, err := status.Call(ctx, deps, status.Zero(), nil)
	if err != nil {
		return err
	}
	shown := reply.Report()
	shown.Add(report.Block{Lines: []report.Line{
		{report.Text("To reach it from another terminal:")}, {report.Toned(report.Code, reach(socket))},
	}})
	shown.Next = []report.Tip{
		{Command: "cupola status", Does: "see the fleet as it is then"},
		{Command: "cupola tail api", Does: "read what its agents show"},
		{Command: "cupola attach web", Does: "open a session there"},
	}
	if err := d.out.show(shown); err != nil {
		return err
	}
	fmt.Fprintln(d.opts.Stderr, "\nPress Enter to end the demo.")
	entered := make(chan struct{})
	go func() {
		defer close(entered)
		// The end of the input ends the demo, too.
		_, _ = bufio.NewReader(d.opts.Stdin).ReadString('\n')
	}()
	select {
	case <-entered:
		return nil
	case <-ctx.Done():
		return &core.Error{Code: core.Cancelled, Message: "interrupted", Err: ctx.Err()}
	}
}

// keptDemo is the answer about a demo that stays up.
type keptDemo struct {
	Socket string `json:"socket"`
	// Export is the command after which all others use the demo; Stop ends it.
	Export string `json:"export"`
	Stop   string `json:"stop"`
	// Started is false for a demo that was up before.
	Started  bool     `json:"started"`
	Sessions []string `json:"sessions"`
	Agents   int      `json:"agents"`
}

// errReported is the error of an answer whose failure was reported already.
var errReported = errors.New("the answer could not be given")

// keepDemo starts a demo that stays up, and says how to reach it.
func (d *demoRunner) keepDemo(ctx context.Context, opts demo.Options) error {
	const stop = "cupola demo --stop"
	err := demo.Keep(ctx, opts, func(kept demo.Kept) error {
		if d.out.line.robotic {
			err := d.out.reply(ctx, "demo",
				keptDemo{kept.Socket, reach(kept.Socket), stop, kept.Started, kept.Sessions, kept.Agents})
			if d.out.status != 0 {
				return errReported
			}
			return err
		}
		up := "The demo is up"
		if !kept.Started {
			up = "A demo is up already"
		}
		r := report.Say(report.Text(fmt.Sprintf("%s: %d sessions, %d agents. To reach it:", up, len(kept.Sessions),
			kept.Agents)))
		r.Add(report.Block{Lines: []report.Line{{report.Toned(report.Code, reach(kept.Socket))}}})
		r.Next = []report.Tip{{Command: "cupola status", Does: "see the fleet"}, {Command: stop, Does: "end it"}}
		return d.out.show(r)
	})
	if errors.Is(err, errReported) {
		return nil
	}
	return err
}

// end ends the kept demos.
func (d *demoRunner) end(ctx context.Context) error {
	stopped, err := demo.Stop(ctx, demo.Options{Log: d.wiring.env.Log})
	if err != nil {
		return err
	}
	if d.out.line.robotic {
		return d.out.reply(ctx, "demo", struct {
			Stopped []string `json:"stopped"`
		}{stopped})
	}
	said := "The demo has ended."
	if len(stopped) == 0 {
		said = "There is no demo to end."
	}
	return d.out.show(report.Say(report.Text(said)))
}
