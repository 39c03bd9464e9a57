package servers

import (
	"context"
	"strings"
	"time"

	"rsc.io/qr"

	"cupola/core"
	"cupola/core/record/server"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// serverRow is a server.
type serverRow struct {
	ID    string       `json:"id,omitempty" table:"SERVER,strong"`
	State server.State `json:"state" table:"STATE,word"`
	URL   string       `json:"url,omitempty" table:"URL"`
	PID   int          `json:"pid,omitempty" table:"PID,dim"`
	Allow string       `json:"allow" table:"ALLOWS"`
	// Sessions confine clients; empty is all.
	Sessions  []string  `json:"session_names" names:"session" table:"SESSIONS,dim,join=;"`
	StartedAt time.Time `json:"started_at" table:"AGE,dim,ago"`
	EndedAt   time.Time `json:"ended_at,omitzero"`
	// Page is the address of the page with a pass; only serve-status gives it here.
	Address string `json:"page_address,omitempty" table:"PAGE,flex"`
	// Token is the token that programs show to this server as Authorization: Bearer; only serve-status gives it.
	Token string `json:"token,omitempty"`
	// Browsers are the signed-in browsers; only serve-status lists them.
	Browsers []server.Browser `json:"browsers,omitempty"`
}

func rowOf(r *server.Record) serverRow {
	return serverRow{
		ID: r.ID, State: r.State, URL: r.URL, PID: r.PID, Allow: r.Allow, Sessions: r.Sessions, StartedAt: r.Started,
		EndedAt: r.Ended,
	}
}

type serveStatusIn struct {
	QR bool `flag:"qr" help:"Draw the address of each page as a QR code, for a phone"`
}

type serveStatusOut struct {
	Servers []serverRow `json:"servers" minimal:"id,state,url" standard:"id,state,url,pid,allow,session_names,started_at,page_address,token,browsers" empty:"no server runs; 'cupola serve' starts one"`
	// Token is the token of the only server; empty where none or several run, since each has its own.
	Token string `json:"token,omitempty"`

	qr bool
}

// Report draws the codes that were asked for.
func (o serveStatusOut) Report() *report.Report {
	if !o.qr || len(o.Servers) == 0 {
		return nil
	}
	r := &report.Report{}
	for i := range o.Servers {
		page := o.Servers[i].Address
		if page == "" {
			continue
		}
		addCode(r, page)
		r.AddLine(report.Text("The page of " + o.Servers[i].ID + ", for one visit within ten minutes:"))
		r.AddLine(report.Toned(report.Code, page))
	}
	return r
}

var serveStatus = registry.Define(registry.Spec[*verb.Local, serveStatusIn, serveStatusOut]{
	Name: "serve-status", Group: verb.GroupServe, Short: "List servers with token and address",
	Long: "The address of each page has a pass for one visit within ten minutes. Each server has a token of " +
		"its own, which opens no other. Browsers stay signed in until 'serve-stop --browser' signs them out, or they " +
		"do not come for 30 days.",
	Scope: registry.Global, Effect: registry.Reads, Local: true,
	Examples: []string{""},
	List:     "servers",
	Errors:   []core.Code{core.IOError, core.PermissionDenied},
	Run:      runServeStatus,
}).SeeAlso("serve", "serve-stop")

func runServeStatus(ctx context.Context, env *verb.Local, in serveStatusIn) (serveStatusOut, error) {
	out := serveStatusOut{Servers: []serverRow{}, qr: in.QR}
	b := verb.Servers(env.Paths)
	running, err := b.Running(ctx)
	if err != nil || len(running) == 0 {
		return out, err
	}
	for i := range running {
		row := rowOf(&running[i])
		if !running[i].OnBus() {
			if row.Token, err = b.Token(&running[i]); err != nil {
				return out, err
			}
			if row.Browsers, err = b.Browsers(&running[i], env.Now).List(); err != nil {
				return out, err
			}
		}
		row.Address = pageOf(&running[i], row.Token, env.Now())
		out.Servers = append(out.Servers, row)
	}
	if len(out.Servers) == 1 {
		out.Token = out.Servers[0].Token
	}
	return out, nil
}

// quiet is the width of the light border of a QR code, in modules.
const quiet = 2

// qrOf draws a text as a QR code: two modules above each other in a cell, light ones drawn. It is empty for a text that
// is too long for one.
func qrOf(text string) (rows []string) {
	code, err := qr.Encode(text, qr.L)
	if err != nil {
		return nil
	}
	light := func(x, y int) bool { return !code.Black(x, y) } // outside it is light too
	for y := -quiet; y < code.Size+quiet; y += 2 {
		var row strings.Builder
		for x := -quiet; x < code.Size+quiet; x++ {
			row.WriteString(map[[2]bool]string{
				{true, true}: "█", {true, false}: "▀", {false, true}: "▄", {false, false}: " ",
			}[[2]bool{light(x, y), light(x, y+1)}])
		}
		rows = append(rows, row.String())
	}
	return rows
}
