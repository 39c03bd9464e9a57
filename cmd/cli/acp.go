package cli

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"cupola/cmd/chat"
	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/acp"
	"cupola/core/agent/acp/desk"
	"cupola/core/engine"
	"cupola/core/fleet"
	"cupola/core/fleet/announce"
	"cupola/core/verb/registry"
	"cupola/theme"
)

// protocolWord is the subcommand that runs in a pane by protocol.
const protocolWord = registry.ProtocolWord

// protocolCommand is the hidden subcommand that shows a conversation by protocol. Files of agent kinds name it.
func protocolCommand(p *program) *cobra.Command {
	var mode, model, session string
	cmd := &cobra.Command{
		Use: protocolWord + " KIND", Short: "Talk to an agent by the Agent Client Protocol in this terminal",
		Hidden: true, Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := p.oneKind(cmd, args); err != nil {
				return err
			}
			opts, err := p.conversation(args[0])
			if err != nil {
				return err
			}
			opts.Agent.Mode, opts.Agent.Model, opts.Agent.Session = mode, model, session
			p.serveIn(cmd.Context(), core.Kind(args[0]), opts)
			return chat.Run(cmd.Context(), *opts)
		},
	}
	cmd.Flags().StringVarP(&mode, "mode", "o", "", "the agent's mode, by its own id or name")
	cmd.Flags().StringVarP(&model, "model", "m", "", "the agent's model, by its own id or name")
	cmd.Flags().StringVarP(&session, "resume", "r", "", "the agent's id of the conversation to take up")
	return cmd
}

// protocolArgs parts the first word of a command line such as "acp:goose". The kind is part of that word because a
// process is recognised by its first argument.
func protocolArgs(args []string) []string {
	if len(args) == 0 {
		return args
	}
	kind, is := strings.CutPrefix(args[0], protocolWord+":")
	if !is {
		return args
	}
	return slices.Concat([]string{protocolWord, kind}, args[1:])
}

// oneKind refuses arguments other than the name of one kind.
func (p *program) oneKind(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return noArguments(cmd, args[1:])
	}
	if len(args) == 0 {
		e := core.Errorf(core.MissingRequired, "%s needs KIND", protocolWord)
		e.Hint = p.protocolKinds()
		return e
	}
	return nil
}

// protocolKinds is the sentence that lists the kinds that speak the protocol.
func (p *program) protocolKinds() string {
	var speak []string
	for _, kind := range p.wiring.env.Kinds().All() {
		if kind.ACP.Given() {
			speak = append(speak, string(kind.ID))
		}
	}
	return "Kinds that speak it are: " + strings.Join(speak, ", ") + "; docs/acp.md says how to add one."
}

// conversation returns how a kind is started and shown.
func (p *program) conversation(name string) (*chat.Options, error) {
	env := p.wiring.env
	kind, known := env.Kinds().Find(name)
	if !known || !kind.ACP.Given() {
		e := core.Errorf(core.AgentNotFound, "no agent kind %q speaks the Agent Client Protocol", name)
		if !known {
			e.Suggestions = env.Kinds().Near(name)
		}
		e.Hint = p.protocolKinds()
		return nil, e
	}
	argv := kind.ACP.Argv(env.Self)
	path, err := env.Bridges.Find(argv[0])
	if err != nil {
		e := core.Errorf(core.ToolNotFound, "%s is not installed", argv[0])
		e.Hint = cmp.Or(kind.ACP.Install, kind.Launch.Install)
		return nil, e
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, core.FileError("find the working folder", err)
	}
	return &chat.Options{
		Name: kind.Name, In: p.Stdin, Out: p.Stdout,
		Look: theme.New(p.out.look.Options(true, true)),
		Agent: acp.Options{
			Program: path, Args: argv[1:], Dir: dir, Env: env.Environ,
			Continues: acp.Continue(kind.ACP.Continues), Noise: kind.ACP.NoisePatterns(),
			Draft: kind.ACP.Draft,
		},
	}, nil
}

// serveIn serves the conversation in the pane of this process, and reports its states where the terminal does not pass
// them on. Outside a pane it does nothing.
func (p *program) serveIn(ctx context.Context, kind core.Kind, opts *chat.Options) {
	h := &hookRun{Options: *p.Options, started: time.Now()}
	f, pane, err := h.fleet(p.wiring.env.Kinds())
	if err != nil || pane == "" {
		return
	}
	files := f.Dir.Found(ctx)
	if files.None() || files.Prepare() != nil {
		return
	}
	opts.Socket = files.Conversation(pane)
	opts.Began = func(session string) {
		if err := f.Announcer.Began(ctx, pane, session); err != nil {
			p.wiring.env.Log.Warn("the session of an agent by protocol is not on record", "pane", pane, "error", err)
		}
	}
	if engine.InsideOf(p.Getenv).Engine == engine.Tmux {
		r := &stateReporter{fleet: f, kind: kind, pane: pane, states: make(chan desk.State, 64)}
		go r.run(ctx)
		opts.Report = r.report
	}
}

// stateReporter reports states to the keeper and to the pane's tag, as an agent's hook does.
type stateReporter struct {
	fleet  *fleet.Fleet
	kind   core.Kind
	pane   core.PaneID
	states chan desk.State
}

// report takes a state. It drops the oldest if there are too many.
func (r *stateReporter) report(s desk.State) {
	for {
		select {
		case r.states <- s:
			return
		default:
		}
		select {
		case <-r.states:
		default:
		}
	}
}

// repeatEvery is how often the state is reported again, since reports of hooks have a time to live.
const repeatEvery = 20 * time.Second

func (r *stateReporter) run(ctx context.Context) {
	again := time.NewTicker(repeatEvery)
	defer again.Stop()
	newest := make(chan announce.HookReport, 1)
	go r.store(ctx, newest)
	var last desk.State
	for {
		select {
		case last = <-r.states:
		case <-again.C:
		case <-ctx.Done():
			return
		}
		if last.State == "" || last.State == core.Exited {
			continue
		}
		report := announce.HookReport{
			Kind: r.kind, Pane: r.pane, PID: os.Getpid(), At: time.Now(),
			Edge: agent.Edge{Event: "acp-" + last.By, State: last.State, Reason: last.Reason, Session: last.Session},
		}
		within, stop := context.WithTimeout(ctx, hookWithin)
		r.fleet.Announcer.Reported(within, report)
		stop()
		select {
		case <-newest: // an older one that was not stored
		default:
		}
		newest <- report
	}
}

// store stores the newest report. The tag may come late, so that no state waits for the tag of an earlier one.
func (r *stateReporter) store(ctx context.Context, newest <-chan announce.HookReport) {
	for {
		select {
		case report := <-newest:
			within, stop := context.WithTimeout(ctx, hookWithin)
			_ = r.fleet.Announcer.StoreReport(within, report) // the next one replaces it
			stop()
		case <-ctx.Done():
			return
		}
	}
}
