package servers

import (
	"cmp"
	"context"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/record/server"
	"cupola/core/system/shell"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// usualPort is where a server listens by default, and portsTried how many ports after it are tried.
const (
	usualPort  = 7777
	portsTried = 20
)

type serveIn struct {
	Address       string `help:"HOST:PORT to listen at; port 0 is any (default: 127.0.0.1:7777, or the next free port)"`
	Port          int    `max:"65535" help:"The port alone, at 127.0.0.1; not beside --address"`
	verb.Allowing `default:"allow=destroys"`
	Confine       []string          `names:"sessions" help:"Confine clients to these sessions (default: all)"`
	Hosts         []string          `help:"Other hosts that clients may name; local for none (default: all)"`
	TLSCert       registry.ReadPath `flag:"tls-cert" help:"File of a certificate, with its chain; needed for an address that others can reach"`
	TLSKey        registry.ReadPath `flag:"tls-key" help:"File of the certificate's key"`
	TrustHost     []string          `flag:"trust-host" help:"Other names it goes by, NAME or NAME:PORT, as a tunnel has them; the page is at the first"`
	BehindProxy   bool              `flag:"behind-proxy" help:"A proxy that speaks TLS is before it: trust X-Forwarded-Host and -Proto"`
	Open          bool              `help:"Open the page in a browser"`
	QR            bool              `flag:"qr" help:"Draw the page's address as a QR code, for a phone"`
	Background    bool              `help:"Serve in a process of its own, and answer once it listens"`
	Server        string            `help:"Id of a server on record to take up: what --background starts"`
	registry.Preview
}

// Check sees that the parts of the certificate are both there.
func (in serveIn) Check() error {
	switch {
	case in.Port != 0 && in.Address != "":
		return registry.Conflict("--port", "--address")
	case (in.TLSCert == "") != (in.TLSKey == ""):
		return registry.Missing("a certificate needs its key", "Give both.", "--tls-cert", "--tls-key")
	case in.Background && in.Server != "":
		return registry.Conflict("--background", "--server")
	}
	for _, name := range in.TrustHost {
		if name == "" || strings.ContainsAny(name, "/@* \t") {
			return core.Errorf(core.InvalidInput, "--trust-host: %q is no NAME or NAME:PORT", core.Cut(name))
		}
	}
	return nil
}

// serveOut is a server: at its begin a line, at its end the last.
type serveOut struct {
	Type string `json:"type,omitempty"`
	serverRow
	// Page is the address of the page with a pass, which is good for one visit within ten minutes.
	Page   string `json:"page,omitempty"`
	DryRun bool   `json:"dry_run"`

	background, qr bool
}

var serve = registry.Define(registry.Spec[*verb.Local, serveIn, serveOut]{
	Name: "serve", Aliases: []string{"agentic dashboard"}, Group: verb.GroupServe,
	Short: "Serve HTTP, with a page for the browser",
	Long: "Every verb is a POST to /api/v1/VERB with its input as JSON, and those that only read a GET too; " +
		"/api/v1/openapi.json describes them all. /api/v1/events streams events, /mcp speaks MCP, /metrics is for " +
		"monitoring, and / is a page that shows the fleet and acts on it. Programs show the token as 'Authorization: " +
		"Bearer'; 'serve-status' shows it. The page's address has a pass for one visit. The server listens for this " +
		"machine alone, unless it has a certificate.",
	Scope: registry.Global, Effect: registry.Writes, Local: true,
	Examples: []string{"--dry-run", "--allow=reads --confine=api --dry-run"},
	Errors: []core.Code{
		core.MissingRequired, core.Conflict, core.IOError, core.PermissionDenied, core.NotFound, core.Timeout,
		core.ConfigInvalid,
	},
	Run:    runServe,
	Stream: registry.Stream[*verb.Local, serveIn, serveOut]{Line: serveOut{}, Run: streamServe},
}).SeeAlso("serve-status", "serve-stop")

// Streaming reports whether the server runs in this process: it reports its address, and then nothing until it ends.
func (in serveIn) Streaming() bool { return !in.Background && !in.DryRun }

// runServe starts a server in the background.
func runServe(ctx context.Context, env *verb.Local, in serveIn) (serveOut, error) {
	if in.DryRun {
		return serveOut{DryRun: true, serverRow: serverRow{
			State: server.Starting, URL: "http://" + in.request().Address, Allow: in.Allow,
			Sessions: append([]string{}, in.Confine...), StartedAt: env.Now(),
		}}, nil
	}
	b := verb.Servers(env.Paths)
	record, err := b.New(in.Allow, in.Confine, env.Now())
	if err != nil {
		return serveOut{}, err
	}
	background := in
	background.Background, background.Open, background.QR, background.Server = false, false, false, record.ID
	words, err := shell.Words(env.Catalog.Find("serve").Command(background))
	if err != nil {
		return serveOut{}, err
	}
	argv := append([]string{env.Self, "--robot-format=ndjson"}, words[1:]...)
	if record, err = b.Detach(ctx, record.ID, env.Dir, argv...); err != nil {
		return serveOut{}, err
	}
	out, err := outOf(env, record)
	out.background, out.qr = true, in.QR
	if err == nil && in.Open {
		openPage(env, out.Page)
	}
	return out, err
}

// streamServe serves until ctx ends or the server is stopped.
func streamServe(ctx context.Context, env *verb.Local, in serveIn, emit func(any) error) (serveOut, error) {
	b := verb.Servers(env.Paths)
	if in.Server == "" {
		record, err := b.New(in.Allow, in.Confine, env.Now())
		if err != nil {
			return serveOut{}, err
		}
		in.Server = record.ID
	}
	record, release, err := b.Claim(ctx, in.Server)
	if err != nil {
		return serveOut{}, err
	}
	defer release()
	record.Hosts = in.Hosts
	serving, end := b.Cancellable(ctx, record.ID)
	defer end()
	request := in.request()
	request.Access = func(url string) (*verb.Access, error) {
		record.URL, record.Public = url, in.public(url)
		token, err := b.Token(record)
		return &verb.Access{Token: token, Browsers: b.Browsers(record, env.Now)}, err
	}
	err = env.Serve(serving, request, func(url string) error {
		if err := b.Listening(record, url); err != nil {
			return err
		}
		out, err := outOf(env, record)
		if err != nil {
			return err
		}
		out.Type, out.qr = "serving", in.QR
		if err := emit(out); err != nil {
			return err
		}
		if in.Open {
			openPage(env, out.Page)
		}
		return nil
	})
	if saved := b.End(record, env.Now()); err == nil {
		err = saved
	}
	if err == nil && serving.Err() == nil {
		err = core.Errorf(core.IOError, "the server has ended by itself")
	}
	return serveOut{serverRow: rowOf(record)}, err
}

// openPage opens the page. A server without a browser serves all the same.
func openPage(env *verb.Local, page string) {
	if err := env.OpenPage(page); err != nil {
		env.Warn(core.AsError(err).Error())
	}
}

// request is how to serve, without what gives access.
func (in *serveIn) request() *verb.ServeRequest {
	request := &verb.ServeRequest{
		Address: in.Address, Cert: string(in.TLSCert), Key: string(in.TLSKey),
		Border: in.Border(in.Confine), Hosts: in.Hosts, Names: in.TrustHost, Proxied: in.BehindProxy,
	}
	switch {
	case in.Port != 0:
		request.Address = net.JoinHostPort("127.0.0.1", strconv.Itoa(in.Port))
	case in.Address == "":
		request.Address, request.Next = net.JoinHostPort("127.0.0.1", strconv.Itoa(usualPort)), portsTried
	}
	return request
}

// public is the address of the page by the first name that the server is given; empty without one.
func (in *serveIn) public(listening string) string {
	at, err := url.Parse(listening)
	if len(in.TrustHost) == 0 || err != nil {
		return ""
	}
	at.Host = in.TrustHost[0]
	switch {
	case in.BehindProxy:
		at.Scheme = "https"
	case !strings.Contains(at.Host, ":"):
		_, port, _ := net.SplitHostPort(strings.TrimPrefix(listening, at.Scheme+"://")) // it listens there
		at.Host = net.JoinHostPort(at.Host, port)
	}
	return at.String()
}

// outOf is a server with a pass.
func outOf(env *verb.Local, record *server.Record) (serveOut, error) {
	token, err := verb.Servers(env.Paths).Token(record)
	if err != nil {
		return serveOut{}, err
	}
	return serveOut{serverRow: rowOf(record), Page: pageOf(record, token, env.Now())}, nil
}

// pageOf is the address of the page with a pass.
func pageOf(record *server.Record, token string, now time.Time) string {
	if record.URL == "" || record.OnBus() {
		return ""
	}
	return cmp.Or(record.Public, record.URL) + "/?token=" + server.NewPass(token, now)
}

// local reports whether a name is one of this machine, for itself alone.
func local(name string) bool {
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && ip.IsLoopback()
}

// Report shows people where the page is.
func (o serveOut) Report() *report.Report {
	switch {
	case o.DryRun:
		return report.Say(report.Text("Would serve at " + o.URL + " and allow " + o.Allow + "."))
	case o.Page == "":
		return report.Say(report.Text("The server has ended."))
	}
	r := report.Say(report.Text("Serving. Open this page, once and within ten minutes:"))
	r.Add(report.Block{Lines: []report.Line{{report.Toned(report.Code, o.Page)}}})
	if o.qr {
		addCode(r, o.Page)
	}
	if o.background {
		r.Next = []report.Tip{
			verb.Tip("get another address, and the token for programs", "serve-status"),
			verb.Tip("end it", "serve-stop", o.ID),
		}
	}
	return r
}

// addCode adds the QR code of a page's address, and why it may be of no use.
func addCode(r *report.Report, page string) {
	r.Add(report.Block{Picture: qrOf(page)})
	if at, err := url.Parse(page); err == nil && local(at.Hostname()) {
		r.AddLine(report.Text("Only this machine can open that address; docs/servers.md has ways from a phone."))
	}
}

// Next says how to reach and end a server in the background.
func (o serveOut) Next() []registry.Action {
	if !o.background {
		return nil
	}
	return []registry.Action{
		verb.NextAction("status", "Get another address of the page, and the token", "serve-status"),
		verb.NextAction("stop", "End it", "serve-stop", o.ID),
	}
}
