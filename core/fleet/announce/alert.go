package announce

import (
	"context"
	"errors"
	"strconv"
	"time"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/engine"
	"cupola/core/fleet/wire"
)

// ReportAlert sends a report to the keeper, if one runs.
func (a *Announcer) ReportAlert(ctx context.Context, report *wire.AlertReport) error {
	files, err := a.opts.Dir.Files(ctx)
	if err != nil || files.None() {
		return err
	}
	keeper, err := wire.Dial(ctx, files.Socket, wire.Hello{Protocol: wire.Protocol, Alert: report}, hookPace)
	if errors.Is(err, wire.ErrSilent) || errors.Is(err, wire.ErrVersion) || errors.Is(err, wire.ErrMalformed) {
		return err
	}
	if err != nil {
		return nil //nolint:nilerr // no keeper runs
	}
	return keeper.Close()
}

// Delivered raises an alert about a prompt that was typed but not seen to be accepted, and resolves it after
// a successful delivery.
func (a *Announcer) Delivered(ctx context.Context, pane *core.Pane, d *core.Delivery) {
	edge := core.Alert{
		Type: core.AlertDelivery, Severity: core.SeverityError, Subject: d.Address(), Session: d.Session, Pane: d.Pane,
		Message:  d.Agent + " did not take up a prompt: " + d.Saw(),
		LastSeen: a.opts.Now(), FirstSeen: a.opts.Now(), Count: 1,
	}
	edge.ID = alert.ID(edge.Type, edge.Subject)
	missed := ""
	switch d.Outcome {
	case core.Unconfirmed:
		missed = strconv.FormatInt(edge.LastSeen.UnixMilli(), 10)
	case core.Delivered, core.Queued, core.Steered:
		if pane.Agent.Missed.IsZero() {
			return
		}
		edge.ResolvedAt = edge.LastSeen
	default:
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer stop()
	if err := a.opts.Engine.Tag(ctx, engine.Tag{Pane: pane.ID, Name: engine.TagMissed, Value: missed}); err != nil {
		a.opts.Log.Warn("a pane could not be marked", "pane", pane.Address(), "error", err)
	}
	if a.opts.Journal != nil {
		if err := a.opts.Journal.SaveAlerts(ctx, []core.Alert{edge}); err != nil {
			a.opts.Log.Warn("an alert could not be recorded", "id", edge.ID, "error", err)
		}
	}
	if err := a.ReportAlert(ctx, &wire.AlertReport{Edge: &edge}); err != nil {
		a.opts.Log.Warn("an alert did not reach the keeper", "id", edge.ID, "error", err)
	}
}
