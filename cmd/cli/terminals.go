package cli

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"cupola/cmd/attach"
	"cupola/core"
	"cupola/core/config"
	"cupola/core/engine/own"
	"cupola/core/engine/own/server"
	"cupola/core/term/cast"
	"cupola/core/verb/agents"
)

// The words with which this program is Cupola's own terminal server, and the client that attaches a terminal to it.
const (
	serverWord = server.ServerWord
	holderWord = server.HolderWord
	viewWord   = "terminal-view"
	playWord   = agents.PlayWord
)

// terminalWords are run before anything else of the program, and are no commands for users.
var terminalWords = map[string]func(context.Context, Options) error{
	serverWord: serveTerminals, holderWord: holdTerminals, viewWord: viewTerminal,
	playWord: playTerminal,
}

// ownOptions are the options of the client of Cupola's own terminal server.
func ownOptions(version, socket string) own.Options {
	return own.Options{
		Socket:  socket,
		Version: version,
		Build:   build(),
		Start:   []string{self(), serverWord},
		Scope:   []string{"systemd-run", "--user", "--scope", "--quiet", "--collect", "--"},
		Attach:  []string{self(), viewWord},
	}
}

// build tells one build of this program from another of the same version: by the file's size and time.
func build() string {
	info, err := os.Stat(self())
	if err != nil {
		return ""
	}
	return strconv.FormatInt(info.Size(), 36) + "-" + strconv.FormatInt(info.ModTime().UnixMilli(), 36)
}

// runTerminals runs one of the words and returns the exit status.
func runTerminals(run func(context.Context, Options) error, opts Options) int {
	if err := run(context.Background(), opts); err != nil {
		fmt.Fprintln(opts.Stderr, "cupola: "+err.Error())
		return 1
	}
	return 0
}

// serveTerminals is the server on the socket that is named.
func serveTerminals(ctx context.Context, opts Options) error {
	const words = 2
	if len(opts.Args) != words {
		return fmt.Errorf("%s needs the path of a socket", serverWord)
	}
	return server.Main(ctx, serverOptions(opts), opts.Stdout, func() {
		// The process that started this server waits for the end of its output.
		silence(opts.Stdout)
		silence(opts.Stderr)
	})
}

// serverOptions are those of a server on the socket that is named.
func serverOptions(opts Options) server.Options {
	return server.Options{
		Socket: opts.Args[1], Version: opts.Version, Build: build(), Holder: []string{self(), holderWord},
	}
}

// holdTerminals keeps the terminals of a server through its crash.
func holdTerminals(ctx context.Context, opts Options) error {
	const words = 2
	if len(opts.Args) != words {
		return fmt.Errorf("%s needs the path of a socket", holderWord)
	}
	return server.Hold(ctx, server.Holder{Options: serverOptions(opts), Start: []string{self(), serverWord}})
}

// viewTerminal attaches the user's terminal to a session, or to a pane of it.
func viewTerminal(ctx context.Context, opts Options) error {
	const least, most = 3, 4
	if len(opts.Args) < least || len(opts.Args) > most {
		return fmt.Errorf("%s needs a socket, a session and perhaps a pane", viewWord)
	}
	view := attach.Options{
		Server: own.Open(
			ownOptions(opts.Version, opts.Args[1]),
		),
		Session: core.SessionID(opts.Args[2]),
		In:      opts.Stdin,
		Out:     opts.Stdout,
	}
	if len(opts.Args) == most {
		view.Pane = core.PaneID(opts.Args[3])
	}
	settings := config.Load(config.PathsOf(opts.Getenv), opts.Getenv)
	view.Clipboard = settings.Engine.Clipboard == "allow"
	if key := settings.Engine.DetachKey; key != "" {
		var err error
		if view.Leave, err = attach.ParseKey(key); err != nil {
			fmt.Fprintf(opts.Stderr, "cupola: engine.detach_key: %v; the usual key leaves\n", err)
		}
	}
	return attach.Run(ctx, view)
}

// playTerminal plays a recording on the user's terminal.
func playTerminal(ctx context.Context, opts Options) error {
	const least, most = 2, 3
	if len(opts.Args) < least || len(opts.Args) > most {
		return fmt.Errorf("%s needs the path of a recording", playWord)
	}
	recording, err := cast.Load(opts.Args[1])
	if err != nil {
		return err
	}
	return attach.Play(ctx, attach.Playback{
		Recording: recording, FromEnd: opts.Args[len(opts.Args)-1] == agents.FromEnd, In: opts.Stdin, Out: opts.Stdout,
	})
}
