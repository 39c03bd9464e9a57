package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"cupola/cmd/attach"
	"cupola/core"
	"cupola/core/config"
	"cupola/core/engine/own"
	"cupola/core/engine/own/server"
	"cupola/core/fleet/lifecycle"
	"cupola/core/system/plainfile"
	"cupola/core/term/cast"
	"cupola/core/term/cells"
	"cupola/core/verb/agents"
)

// The words with which this program is Cupola's own terminal server, and the client that attaches a terminal to it.
const (
	serverWord = server.ServerWord
	holderWord = server.HolderWord
	viewWord   = "terminal-view"
	playWord   = agents.PlayWord
)

// terminalWord is run before anything else of the program, and is no command for users.
type terminalWord struct {
	// least and most are how many arguments come behind the word, which are named by needs.
	least, most int
	needs       string
	run         func(ctx context.Context, opts Options, args []string) error
}

var terminalWords = map[string]terminalWord{
	serverWord:          {1, 1, "the path of a socket", serveTerminals},
	holderWord:          {1, 1, "the path of a socket", holdTerminals},
	viewWord:            {2, 3, "a socket, a session and perhaps a pane", viewTerminal},
	playWord:            {1, 2, "the path of a recording", playTerminal},
	lifecycle.ShellWord: {1, 1, "the path of a text", shellTerminal},
}

// shellTerminal shows the text in a file, removes the file, and becomes the user's login shell.
func shellTerminal(_ context.Context, opts Options, args []string) error {
	if text, err := plainfile.Read(args[0], plainfile.Text); err == nil && len(text) > 0 {
		fmt.Fprintf(opts.Stdout, "%s\n-- shown before its terminal server was lost --\n",
			strings.TrimRight(cells.Safe(string(text)), "\n"))
	}
	_ = os.Remove(args[0])
	shell := cmp.Or(opts.Getenv("SHELL"), "/bin/sh")
	for _, one := range []string{shell, "/bin/sh"} {
		_ = unix.Exec(one, []string{"-" + filepath.Base(one)}, os.Environ())
	}
	return fmt.Errorf("neither %s nor /bin/sh can be started", shell)
}

// runTerminals runs one of the words and returns the exit status.
func runTerminals(word terminalWord, opts Options) int {
	err := fmt.Errorf("%s needs %s", opts.Args[0], word.needs)
	if args := opts.Args[1:]; len(args) >= word.least && len(args) <= word.most {
		err = word.run(context.Background(), opts, args)
	}
	if err != nil {
		fmt.Fprintln(opts.Stderr, "cupola: "+err.Error())
		return 1
	}
	return 0
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

// build distinguishes one build of this program from another of the same version: by the file's size and time.
func build() string {
	info, err := os.Stat(self())
	if err != nil {
		return ""
	}
	return strconv.FormatInt(info.Size(), 36) + "-" + strconv.FormatInt(info.ModTime().UnixMilli(), 36)
}

// serveTerminals is the server on the socket that is named.
func serveTerminals(ctx context.Context, opts Options, args []string) error {
	return server.Main(ctx, serverOptions(opts, args), opts.Stdout, func() {
		// The process that started this server waits for the end of its output.
		silence(opts.Stdout)
		silence(opts.Stderr)
	})
}

// serverOptions returns the options of a server on the named socket.
func serverOptions(opts Options, args []string) server.Options {
	return server.Options{Socket: args[0], Version: opts.Version, Build: build(), Holder: []string{self(), holderWord}}
}

// holdTerminals keeps the terminals of a server through its crash.
func holdTerminals(ctx context.Context, opts Options, args []string) error {
	return server.Hold(ctx, serverOptions(opts, args), []string{self(), serverWord})
}

// viewTerminal attaches the user's terminal to a session, or to a pane of it.
func viewTerminal(ctx context.Context, opts Options, args []string) error {
	view := attach.Options{
		Server: own.Open(ownOptions(opts.Version, args[0])), Session: core.SessionID(args[1]), In: opts.Stdin,
		Out: opts.Stdout,
	}
	if len(args) > 2 {
		view.Pane = core.PaneID(args[2])
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
func playTerminal(ctx context.Context, opts Options, args []string) error {
	recording, err := cast.Load(args[0])
	if err != nil {
		return err
	}
	return attach.Play(ctx, attach.Playback{
		Recording: recording, FromEnd: args[len(args)-1] == agents.FromEnd, In: opts.Stdin, Out: opts.Stdout,
	})
}

// silence redirects an open file to the null device.
func silence(file *os.File) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer null.Close()
	_ = unix.Dup2(int(null.Fd()), int(file.Fd()))
}
