package fleet

import (
	"context"
	"errors"
	"strconv"
	"time"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/engine"
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
	return keeper.close()
}

// unconfirmed raises an alert about a prompt that was typed into a pane and not
// seen to be taken up, and a delivery that succeeds ends it. Failures hold nobody
// up.
func (f *lookout) unconfirmed(ctx context.Context, pane *core.Pane, d *Delivery) {
	edge := core.Alert{
		Type: core.AlertDelivery, Severity: core.SeverityError, Subject: core.Address(d.Session, d.Ordinal), Session: d.Session, Pane: d.Pane,
		Message: d.Agent + " did not take up a prompt: " + d.Evidence, LastSeen: f.now(), FirstSeen: f.now(), Count: 1,
	}
	edge.ID = alert.ID(edge.Type, edge.Subject)
	missed := ""
	switch d.Outcome {
	case Unconfirmed:
		missed = strconv.FormatInt(edge.LastSeen.UnixMilli(), 10)
	case Delivered, Queued, Steered:
		if pane.Agent.Missed.IsZero() {
			return
		}
		edge.ResolvedAt = edge.LastSeen
	default:
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer stop()
	if err := f.engine.Tag(ctx, engine.Tag{Pane: pane.ID, Name: engine.TagMissed, Value: missed}); err != nil {
		f.log.Warn("a pane could not be marked", "pane", pane.Address(), "error", err)
	}
	if f.journal != nil {
		if err := f.journal.SaveAlerts(ctx, []core.Alert{edge}); err != nil {
			f.log.Warn("an alert could not be recorded", "id", edge.ID, "error", err)
		}
	}
	if err := f.tellAlert(ctx, &alertReport{Edge: &edge}); err != nil {
		f.log.Warn("the keeper could not be told of an alert", "id", edge.ID, "error", err)
	}
}
