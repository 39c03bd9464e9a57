package cli

import (
	"cmp"
	"context"
	"errors"
	"io"
	nethttp "net/http"

	"github.com/spf13/cobra"

	"cupola/core/record/server"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/robot/http"
	"cupola/robot/mcp"
)

// mcpIn are the flags of the MCP server.
type mcpIn struct {
	servingIn
	HTTP         string   `flag:"http" help:"Serve HTTP at this address (127.0.0.1:PORT) instead of standard input and output"`
	Toolsets     []string `help:"Offer these sets of tools: core, crew, story, relay, work, admin, all (default: core)"`
	Tools        []string `help:"Offer these tools, beside those of --toolsets"`
	ExcludeTools []string `help:"Do not offer these tools"`
}

// mcpFlags binds the flags of the MCP server and makes its usage errors.
var mcpFlags = registry.Define(registry.Spec[*verb.Env, mcpIn, struct{}]{Name: "mcp"})

// mcpCommand makes the subcommand that serves MCP.
func mcpCommand(w *wiring, out *faces) *cobra.Command {
	return subcommand(&cobra.Command{
		Use: "mcp", Short: "Offer the verbs to agents, as an MCP server",
		Long: "Speaks the Model Context Protocol on standard input and output, for one agent that starts it.\n" +
			"'cupola plugin install AGENT --with=mcp' writes it into an agent's configuration.\n" +
			"Clients may write but not destroy, unless --allow says otherwise; --session confines them.",
		Example: examples([]string{
			"cupola mcp", "cupola mcp --session=api --allow=reads", "cupola mcp --toolsets=core,crew",
			"cupola mcp --http=127.0.0.1:7778",
		}),
	}, mcpFlags, func(ctx context.Context, in mcpIn) error {
		out.line.globals.Errors = "stderr" // clients read standard output
		if err := mcpFlags.Check(in); err != nil {
			return err
		}
		return servers{wiring: w, client: in.HTTP == ""}.serveMCP(ctx, &in, out)
	})
}

// mcpServer makes a server for what clients may do.
func (s servers) mcpServer(in *servingIn, tools mcp.Choice) *mcp.Server {
	return mcp.New(mcp.Options{
		Service: s.service(in), Version: s.wiring.opts.Version, Prompts: s.savedPrompts,
		Watch: s.wiring.watch, Tools: tools, Fleet: s.whichFleet,
		Log: s.wiring.env.Log,
	})
}

// whichFleet names the folders that decide which fleet this process sees.
func (s servers) whichFleet() string {
	paths, tmux := s.wiring.env.Paths, cmp.Or(s.wiring.opts.Getenv("TMUX_TMPDIR"), "/tmp")
	return "the state folder " + paths.State + ", the runtime folder " + paths.Runtime + " and tmux servers in " + tmux
}

// serveMCP serves until the input ends or a signal comes.
func (s servers) serveMCP(ctx context.Context, in *mcpIn, out *faces) error {
	tools := mcp.Choice{Sets: in.Toolsets, Only: in.Tools, Except: in.ExcludeTools}
	if err := tools.Check(); err != nil {
		return err
	}
	answering := s.mcpServer(&in.servingIn, tools)
	if in.HTTP != "" {
		return serveMCPOverHTTP(ctx, answering, in.HTTP, out)
	}
	err := answering.Serve(ctx, out.opts.Stdin, out.opts.Stdout)
	if err != nil && (errors.Is(err, io.EOF) || ctx.Err() != nil) {
		return nil //nolint:nilerr // both are how a server ends
	}
	return err
}

// mcpPath is where MCP is served over HTTP.
const mcpPath = "/mcp"

// serveMCPOverHTTP serves at an address, which it prints with the token, until a signal comes.
func serveMCPOverHTTP(ctx context.Context, answering *mcp.Server, address string, out *faces) error {
	listener, err := http.Address{Listen: address}.Open(ctx)
	if err != nil {
		return err
	}
	guard := &http.Guard{Token: server.NewSecret()}
	mux := nethttp.NewServeMux()
	mux.Handle(mcpPath, answering.Handler(ctx))
	err = out.print("http://" + listener.Addr().String() + mcpPath + "?token=" + guard.Token + "\n")
	if err != nil {
		_ = listener.Close()
		return err
	}
	return http.Serve(ctx, listener, guard.Wrap(mux))
}
