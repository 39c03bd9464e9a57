package cli

import (
	"context"
	"net"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/server"
	"cupola/robot/command/verb"
	"cupola/robot/http"
	"cupola/theme/page"
)

// serve serves HTTP until ctx ends.
func (s servers) serve(ctx context.Context, request *verb.ServeRequest, listening func(url string) error) error {
	address := http.Address{Listen: request.Address, Next: request.Next, Cert: request.Cert, Key: request.Key}
	listener, err := address.Open(ctx)
	if err != nil {
		return err
	}
	in := &servingIn{Allow: request.Allow, Session: request.Sessions, Hosts: request.Hosts}
	host, _, _ := net.SplitHostPort(request.Address) // it listens there
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	passes := &server.Passes{Secret: request.Secret, Now: time.Now}
	secure := request.Cert != ""
	pages := s.service(in)
	pages.Escapes = true
	pageServer := http.New(http.Options{
		Service: pages, Version: s.program.Version, Watch: s.watchAll(in), MCP: s.mcpServer(in).Handler(ctx),
		Style:  page.CSS(),
		Screen: func(captured *core.Screen) any { return page.ScreenOf(captured) },
		Log:    s.program.deps.Log,
		Guard: &http.Guard{
			Token: request.Secret, Admit: passes.Admit, Hosts: append(address.Names(), strings.ToLower(host)),
			Cookie: "cupola_" + port, Secure: secure, Open: http.Open(),
		},
	})
	go pageServer.Follow(ctx)
	scheme := "http://"
	if secure {
		scheme = "https://"
	}
	if err := listening(scheme + net.JoinHostPort(host, port)); err != nil {
		_ = listener.Close()
		return err
	}
	return http.Serve(ctx, listener, pageServer.Handler())
}

// openPage opens an address in the user's browser.
func openPage(url string) error {
	program := "xdg-open"
	if runtime.GOOS == "darwin" {
		program = "open"
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return core.Errorf(core.ToolNotFound, "no browser can be opened: %w", err)
	}
	//nolint:noctx // the browser outlives this process
	if err := exec.Command(path, url).Start(); err != nil {
		return core.Errorf(core.IOError, "open a browser: %w", err)
	}
	return nil
}
