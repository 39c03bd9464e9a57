package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"cupola/cmd/demo"
	"cupola/cmd/look"
	"cupola/core"
	"cupola/core/config"
	"cupola/core/fleet"
	"cupola/core/record/budget"
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
	program *program
	demoIn
}

// demoCommand makes the subcommand that shows a fleet of scripted agents.
func demoCommand(p *program) *cobra.Command {
	d := &demoRunner{program: p}
	cmd := &cobra.Command{
		Use: "demo", Short: "Try everything on a private fleet of scripted agents",
		Long: "Starts nine scripted agents in three sessions, on a terminal server of their own, and shows them.\n" +
			"No agent need be installed, and nothing is left when you quit. For programs, the demo is kept.",
		Example:               examples([]string{"cupola demo", "cupola demo --keep", "cupola demo --stop"}),
		DisableFlagsInUseLine: true,
		Args:                  noArguments("demo"),
	}
	bound := demoFlags.Bind(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		d.demoIn, _ = bound.Input().(demoIn) // as it was bound
		return d.run(cmd.Context())
	}
	cmd.SetFlagErrorFunc(tree{p}.flagError(demoFlags, bound))
	return cmd
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
	if d.Keep || d.program.robotic {
		return d.keepDemo(ctx, opts)
	}
	if err := demo.Run(ctx, opts, d.show); err != nil {
		return err
	}
	fmt.Fprintln(d.program.Stderr, "The demo has ended: its agents are gone, and nothing of it is left.")
	return nil
}

func (d *demoRunner) options() demo.Options {
	paths := config.PathsOf(d.program.Getenv)
	settings := config.Load(paths, d.program.Getenv)
	kinds := verb.Kinds(paths)
	return demo.Options{
		Self: self(), Kinds: kinds, Engine: settings.Engine.Kind, Transport: settings.Engine.Transport,
		Own: ownOptions(d.program.Version, ""), Journal: d.record,
		Spent: func(ctx context.Context, socket string, parts []store.UsagePart) error {
			return d.spent(ctx, settings, socket, parts)
		},
		Log: d.program.deps.Log,
	}
}

// record opens the journal in the demo's own directory.
func (d *demoRunner) record(socket string) fleet.Journal {
	journal := d.program.records.DemoJournal(socket)
	d.program.deps.OpenStore = func(ctx context.Context) (*store.Store, error) {
		return store.OpenReadOnly(ctx, journal.Path, journal.Options)
	}
	return journal
}

// spent records what agents used in the demo's own directory, in which the dashboard counts it, too.
func (d *demoRunner) spent(
	ctx context.Context, settings *config.Config, socket string, parts []store.UsagePart,
) error {
	paths := demo.Paths(config.PathsOf(d.program.Getenv), socket)
	book := d.program.records.BookIn(paths, settings)
	d.program.deps.OpenBudget = func() (*budget.Book, error) { return book, nil }
	records, err := book.Write(ctx)
	if err != nil {
		return err
	}
	if err := store.UsageIn(records).Save(ctx, parts); err != nil {
		return err
	}
	files := make([]store.UsageFile, len(parts))
	for i := range parts {
		files[i] = parts[i].File
	}
	return store.UsageIn(records).Own(ctx, files)
}

// reach returns the command after which all others use a demo.
func reach(socket string) string { return shell.Line("export", "CUPOLA_ENGINE_SOCKET="+socket) }

// show opens the dashboard on the fleet; without a terminal to open it on, it prints the
// status and how to reach the demo, and waits for Enter.
func (d *demoRunner) show(ctx context.Context, f *fleet.Fleet, socket string) error {
	defer d.program.records.Close() //nolint:errcheck // they go away with the demo
	if look.Terminal(d.program.Stdin) && look.Terminal(d.program.Stdout) {
		return d.program.dashboard(ctx, f)
	}
	return d.describe(ctx, f, socket)
}

func (d *demoRunner) describe(ctx context.Context, f *fleet.Fleet, socket string) error {
	status := d.program.catalog.Find("status")
	deps := &verb.Env{OpenFleet: func() (*fleet.Fleet, error) { return f, nil }}
	deps.Catalog, deps.Version, deps.Human, deps.Log = d.program.catalog, d.program.Version, true, d.program.deps.Log
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
	if err := (people{d.program}).printer(d.program.Stdout).Print(shown); err != nil {
		return &core.Error{Code: core.IOError, Err: err}
	}
	fmt.Fprintln(d.program.Stderr, "\nPress Enter to end the demo.")
	entered := make(chan struct{})
	go func() {
		defer close(entered)
		// The end of the input ends the demo, too.
		_, _ = bufio.NewReader(d.program.Stdin).ReadString('\n')
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
		if d.program.robotic {
			d.program.status = d.program.face().Answer(ctx, "demo",
				keptDemo{kept.Socket, reach(kept.Socket), stop, kept.Started, kept.Sessions, kept.Agents})
			if d.program.status != 0 {
				return errReported
			}
			return nil
		}
		up := "The demo is up"
		if !kept.Started {
			up = "A demo is up already"
		}
		r := report.Say(report.Text(fmt.Sprintf("%s: %d sessions, %d agents. To reach it:", up, len(kept.Sessions),
			kept.Agents)))
		r.Add(report.Block{Lines: []report.Line{{report.Toned(report.Code, reach(kept.Socket))}}})
		r.Next = []report.Tip{{Command: "cupola status", Does: "see the fleet"}, {Command: stop, Does: "end it"}}
		return people{d.program}.printer(d.program.Stdout).Print(r)
	})
	if errors.Is(err, errReported) {
		return nil
	}
	return err
}

// end ends the kept demos.
func (d *demoRunner) end(ctx context.Context) error {
	stopped, err := demo.Stop(ctx, demo.Options{Log: d.program.deps.Log})
	if err != nil {
		return err
	}
	if d.program.robotic {
		return d.program.reply(ctx, "demo", struct {
			Stopped []string `json:"stopped"`
		}{stopped})
	}
	said := "The demo has ended."
	if len(stopped) == 0 {
		said = "There is no demo to end."
	}
	return people{d.program}.printer(d.program.Stdout).Print(report.Say(report.Text(said)))
}
