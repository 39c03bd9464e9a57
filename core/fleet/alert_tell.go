package fleet

import (
	"context"
	"errors"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/alert"
)

// alertReport is what somebody tells the keeper of alerts.
type alertReport struct {
	Dismiss *alert.Selection `json:"dismiss,omitempty"`
	// Edge is an alert that no picture shows; a ResolvedAt says that it is over.
	Edge *core.Alert `json:"edge,omitempty"`
}

// tellAlert brings a report to the keeper. Where there is none, nobody need know.
func (f *lookout) tellAlert(ctx context.Context, report *alertReport) error {
	if f.runtime == "" {
		return nil
	}
	info, err := f.server(ctx)
	if err != nil {
		return err
	}
	keeper, err := dial(ctx, seatOf(f.runtime, info).socket, greeting{Protocol: protocol, Alert: report}, hookPace)
	if errors.Is(err, errSilent) || errors.Is(err, errVersion) || errors.Is(err, errSpeech) {
		return err
	}
	if err != nil {
		return nil //nolint:nilerr // nobody keeps the picture
	}
	return keeper.conn.Close()
}

// unconfirmed raises an alert about a prompt that was typed and not seen to be
// taken up, and a delivery that succeeds ends it. Failures hold nobody up.
func (f *lookout) unconfirmed(ctx context.Context, d *Delivery) {
	edge := core.Alert{
		Type: core.AlertDelivery, Severity: core.SeverityError, Subject: core.Address(d.Session, d.Ordinal), Session: d.Session, Pane: d.Pane,
		Message: d.Agent + " did not take up a prompt: " + d.Evidence, LastSeen: f.now(), FirstSeen: f.now(), Count: 1,
	}
	edge.ID = alert.ID(edge.Type, edge.Subject)
	switch d.Outcome {
	case Unconfirmed:
	case Delivered, Queued, Steered:
		if !f.isOpen(ctx, edge.ID) {
			return
		}
		edge.ResolvedAt = edge.LastSeen
	default:
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer stop()
	if f.journal != nil {
		if err := f.journal.SaveAlerts(ctx, []core.Alert{edge}); err != nil {
			f.log.Warn("an alert could not be recorded", "id", edge.ID, "error", err)
		}
	}
	if err := f.tellAlert(ctx, &alertReport{Edge: &edge}); err != nil {
		f.log.Warn("the keeper could not be told of an alert", "id", edge.ID, "error", err)
	}
}

// isOpen reports whether an alert stands open on record.
func (f *lookout) isOpen(ctx context.Context, id string) bool {
	if f.journal == nil {
		return false
	}
	known, err := f.journal.Alerts(ctx)
	return err == nil && slices.ContainsFunc(known, func(a core.Alert) bool { return a.ID == id && a.ResolvedAt.IsZero() })
}
