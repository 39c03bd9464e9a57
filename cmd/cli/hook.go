package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"cupola/cmd/demo"
	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/payload"
	"cupola/core/agent/sandbox/hold"
	"cupola/core/alert"
	"cupola/core/alert/notify"
	"cupola/core/config"
	"cupola/core/engine"
	"cupola/core/engine/engines"
	"cupola/core/engine/own"
	"cupola/core/engine/tmux"
	"cupola/core/fleet"
	"cupola/core/fleet/announce"
	"cupola/core/fleet/observe"
	"cupola/core/system/process"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// hookWord is the subcommand that agents run.
const hookWord = registry.HookWord

// hookWithin is the most time that a hook may take.
const hookWithin = 500 * time.Millisecond

// hookCommand exists for its help only: the words of a hook are never parsed.
func hookCommand() *cobra.Command {
	return &cobra.Command{
		Use: hookWord + " AGENT [PAYLOAD]", Short: "Take in what a hook of an agent reports", Hidden: true,
		DisableFlagParsing: true, DisableFlagsInUseLine: true,
		Long: "Agents run this at every event, with what it is on standard input or as the last argument.\n" +
			"It prints nothing, always exits with 0, and takes half a second at most.\n" +
			"'cupola plugin install' writes it into an agent's settings.",
	}
}

// hookRun is one report of a hook. It begins before anything else of the program.
type hookRun struct {
	Options
	started time.Time
	// pid is the process that reports.
	pid int
}

// hook handles a report silently and returns the exit status: always 0, because agents take
// any other status, and any output, for an answer.
func hook(ctx context.Context, opts Options) int {
	h := &hookRun{Options: opts, started: time.Now(), pid: os.Getpid()}
	if len(opts.Args) == 2 && opts.Args[1] == notifyWord {
		_ = h.notifyNow(ctx) // there is no one to report an error to
		return 0
	}
	ctx, cancel := context.WithTimeout(ctx, hookWithin)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { _ = recover() }()
		// A hook has no one to report an error to.
		_ = h.report(ctx, opts.Args[1:])
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
	return 0
}

// report passes a report to the fleet: in a sandbox by way of the process that holds it.
func (h *hookRun) report(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return nil
	}
	payload, rest := h.payload(args)
	// An agent that writes more than is read must not get SIGPIPE.
	defer func() { _, _ = io.Copy(io.Discard, rest) }()
	if hold.Inside() {
		return hold.Send(ctx, &hold.Report{Args: args[:1], Payload: payload})
	}
	return h.take(ctx, args, payload)
}

// take passes what was reported to the fleet.
func (h *hookRun) take(ctx context.Context, args []string, payload []byte) error {
	if len(args) == 0 {
		return nil
	}
	paths := config.PathsOf(h.Getenv)
	kinds := verb.Kinds(paths)
	kind, ok := kinds.Find(args[0])
	if !ok {
		return core.Errorf(core.AgentNotFound, "no agent kind %q", args[0])
	}
	edge, err := kind.Edge(payload)
	if err != nil || edge.Ignore {
		return err
	}
	f, pane, err := h.fleet(kinds)
	if err != nil {
		return err
	}
	if err := f.Announcer.Hooked(ctx,
		announce.HookReport{Kind: kind.ID, Pane: pane, PID: h.pid, Edge: edge, At: h.started}); err != nil {
		return err
	}
	if (edge.State == core.Waiting || h.hasNotified()) && !f.Announcer.Kept(ctx) {
		return h.notifyLater()
	}
	return nil
}

// payload returns the reported object, and the rest of standard input.
func (h *hookRun) payload(args []string) ([]byte, io.Reader) {
	if last := args[len(args)-1]; len(args) > 1 && strings.HasPrefix(last, "{") {
		return []byte(last), strings.NewReader("")
	}
	var text bytes.Buffer
	var whole json.RawMessage
	// Reading ends with the object: not every agent closes the pipe.
	if json.NewDecoder(io.TeeReader(io.LimitReader(h.Stdin, payload.Max), &text)).Decode(&whole) == nil {
		return whole, strings.NewReader("")
	}
	return text.Bytes(), h.Stdin
}

// fleet opens the fleet of the agent's server, and returns the pane that the environment
// names.
func (h *hookRun) fleet(kinds *agent.Kinds) (*fleet.Fleet, core.PaneID, error) {
	environ := inherited(os.Environ(), os.Getpid())
	getenv := func(name string) string { return valueOf(environ, name) }
	inside := engine.InsideOf(getenv)
	opts := engines.Options{
		Kind: inside.Engine, Tmux: tmux.Options{Environ: environ, Transport: getenv("CUPOLA_ENGINE_TRANSPORT")},
	}
	if inside.Engine != engine.Tmux {
		settings := config.Load(config.PathsOf(getenv), getenv)
		opts.Kind = settings.Engine.Kind
		opts.Tmux.Socket, opts.Tmux.Transport = settings.Engine.Socket, settings.Engine.Transport
		paths := config.PathsOf(getenv)
		opts.Own = own.Options{
			Version: h.Version, Socket: engines.SocketIn(paths.Runtime), Note: paths.OwnServer(),
		}
	}
	server, err := engines.Open(opts)
	if err != nil {
		return nil, "", err
	}
	f := fleet.Open(fleet.Options{
		Engine: server, Kinds: kinds,
		Runtime: demo.Paths(config.PathsOf(getenv), server.SocketPath()).Runtime, Environ: environ,
	})
	return f, inside.Pane, nil
}

// inherited completes an environment that an agent has scrubbed from those of its parent
// processes: which pane it is in, and where the keeper is.
func inherited(environ []string, pid int) []string {
	getenv := func(name string) string { return valueOf(environ, name) }
	inPane, keeper := engine.InsideOf(getenv).Pane != "", getenv("XDG_RUNTIME_DIR") != ""
	for range maxParents {
		if inPane && keeper {
			break
		}
		p, err := process.Find(pid)
		if err != nil || p.Parent <= 1 {
			break
		}
		pid = p.Parent
		above := process.Environ(pid)
		// The environment of the terminal server itself names a pane of another one.
		if found := engine.InsideOf(func(name string) string { return valueOf(above, name) }); !inPane &&
			found.Pane != "" && !isServer(pid) {
			for _, name := range []string{"TMUX", "TMUX_PANE", engine.PaneVariable, engine.SocketVariable} {
				environ = append(environ, name+"="+valueOf(above, name))
			}
			inPane = true
		}
		if dir := valueOf(above, "XDG_RUNTIME_DIR"); !keeper && dir != "" {
			environ = append(environ, "XDG_RUNTIME_DIR="+dir)
			keeper = true
		}
	}
	return environ
}

// maxParents is the most processes between a hook and the terminal server.
const maxParents = 32

func isServer(pid int) bool {
	p, err := process.Find(pid)
	if err != nil || strings.HasPrefix(p.Name, "tmux") {
		return err == nil
	}
	argv := process.Argv(pid)
	return len(argv) > 1 && argv[1] == serverWord
}

// valueOf returns the last value of a name in an environment.
func valueOf(environ []string, name string) string {
	value := ""
	for _, pair := range environ {
		if found, ok := strings.CutPrefix(pair, name+"="); ok {
			value = found
		}
	}
	return value
}

// notifyWord is the argument of the process that notifies the user where no keeper runs.
const notifyWord = "-notify"

const (
	// notifySettle is how long it waits: who answers at once needs no notification, and the dialog is drawn then.
	notifySettle = 1500 * time.Millisecond
	// notifyWithin is the most time that it may take.
	notifyWithin = time.Minute
)

// notifyLater starts the process that notifies the user, if the settings have a way that needs no terminal. The agent
// does not wait for it.
func (h *hookRun) notifyLater() error {
	paths := config.PathsOf(h.Getenv)
	set := config.Load(paths, h.Getenv).Notify
	if len(set.Services) == 0 && len(set.Command) == 0 && !set.Desktop && len(toBrowsers(paths)) == 0 {
		return nil
	}
	//nolint:noctx // it outlives this process
	cmd := exec.Command(self(), hookWord, notifyWord)
	cmd.Env = inherited(os.Environ(), os.Getpid())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}

// hasNotified reports whether notifications are out that can be withdrawn.
func (h *hookRun) hasNotified() bool {
	return len(notify.Ledger{Dir: config.Notified(config.PathsOf(h.Getenv))}.Posted()) > 0
}

// notifyNow notifies the user of all agents that wait, of each question once, and withdraws the notifications of
// questions that are answered, unless a keeper does.
func (h *hookRun) notifyNow(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, notifyWithin)
	defer cancel()
	if err := core.Sleep(ctx, notifySettle); err != nil {
		return err
	}
	paths := config.PathsOf(h.Getenv)
	f, _, err := h.fleet(verb.Kinds(paths))
	if err != nil || f.Announcer.Kept(ctx) {
		return err
	}
	snapshot, err := f.Overview.Snapshot(ctx, observe.View{})
	if err != nil {
		return err
	}
	opts := notifyOptions(config.Load(paths, h.Getenv).Notify, paths, slog.New(slog.DiscardHandler))
	opts.Again = 0 // a keeper does that
	n := notify.New(opts)
	for _, a := range opts.Ledger.Posted() {
		if !slices.ContainsFunc(snapshot.Alerts, func(open core.Alert) bool { return open.ID == a.ID }) {
			n.Over(ctx, a)
		}
	}
	for i := range snapshot.Alerts {
		if a := &snapshot.Alerts[i]; a.State == core.Waiting && a.DismissedAt.IsZero() {
			change := alert.Change{Type: core.AlertRaised, Alert: *a}
			change.Locate(snapshot)
			n.Changed(ctx, change)
		}
	}
	n.Wait()
	return nil
}
