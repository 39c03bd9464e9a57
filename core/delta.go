package core

import (
	"reflect"
	"slices"
	"time"
)

// Delta is the difference between two snapshots of one machine. It applies to the first alone.
type Delta struct {
	From Revision `json:"from"`
	To   Revision `json:"to"`
	// Taken, EngineUp, SilentSince and SilentWhy belong to the second snapshot.
	Taken       time.Time `json:"taken_at"`
	EngineUp    bool      `json:"engine_up"`
	SilentSince time.Time `json:"silent_since,omitzero"`
	SilentWhy   string    `json:"silent_why,omitempty"`
	// Sessions are the new ones, and those that changed with the panes of them that did.
	Sessions []Session `json:"sessions,omitempty"`
	// Order has the ids of all sessions; nil if they are the same ones in the same order. Panes has those of all panes
	// of a session, for each session whose panes are other ones.
	Order []SessionID            `json:"order,omitzero"`
	Panes map[SessionID][]PaneID `json:"panes,omitzero"`
	// Alerts are all alerts; nil if they are the same.
	Alerts []Alert `json:"alerts,omitzero"`
}

// DeltaOf returns what differs between two snapshots.
func DeltaOf(before, after *Snapshot) *Delta {
	d := &Delta{
		From: before.Revision, To: after.Revision, Taken: after.Taken, EngineUp: after.EngineUp,
		SilentSince: after.SilentSince, SilentWhy: after.SilentWhy,
	}
	was := map[SessionID]*Session{}
	for i := range before.Sessions {
		was[before.Sessions[i].ID] = &before.Sessions[i]
	}
	for i := range after.Sessions {
		if s, panes := changeOf(was[after.Sessions[i].ID], &after.Sessions[i]); s != nil {
			d.Sessions = append(d.Sessions, *s)
			if panes != nil {
				if d.Panes == nil {
					d.Panes = map[SessionID][]PaneID{}
				}
				d.Panes[s.ID] = panes
			}
		}
	}
	if order := idsOf(after.Sessions); !slices.Equal(idsOf(before.Sessions), order) {
		d.Order = order
	}
	if !reflect.DeepEqual(before.Alerts, after.Alerts) && len(before.Alerts)+len(after.Alerts) > 0 {
		d.Alerts = append([]Alert{}, after.Alerts...) // none is not nil, which would be no change
	}
	return d
}

// changeOf returns a session with the panes of it that changed, and the ids of all its panes if they are other ones
// than before; nil if nothing changed.
func changeOf(before, after *Session) (changed *Session, panes []PaneID) {
	own := *after
	if before == nil {
		return &own, nil
	}
	own.Panes = nil
	was := map[PaneID]*Pane{}
	for i := range before.Panes {
		was[before.Panes[i].ID] = &before.Panes[i]
	}
	for i := range after.Panes {
		if old := was[after.Panes[i].ID]; old == nil || !reflect.DeepEqual(old, &after.Panes[i]) {
			own.Panes = append(own.Panes, after.Panes[i])
		}
	}
	if ids := paneIDsOf(after); !slices.Equal(paneIDsOf(before), ids) {
		panes = ids
	}
	bare := *before
	bare.Panes = own.Panes
	if panes == nil && len(own.Panes) == 0 && reflect.DeepEqual(&bare, &own) {
		return nil, nil
	}
	return &own, panes
}

func idsOf(sessions []Session) []SessionID {
	return Map(sessions, func(s Session) SessionID { return s.ID })
}

func paneIDsOf(s *Session) []PaneID {
	return Map(s.Panes, func(p Pane) PaneID { return p.ID })
}

// Apply returns the second snapshot, given the first, which it does not modify. It returns false if that is another
// one: something is missing in between.
func (d *Delta) Apply(before *Snapshot) (*Snapshot, bool) {
	if before == nil || before.Revision != d.From {
		return before, false
	}
	after := *before
	after.Revision, after.Taken, after.EngineUp = d.To, d.Taken, d.EngineUp
	after.SilentSince, after.SilentWhy = d.SilentSince, d.SilentWhy
	if d.Alerts != nil {
		after.Alerts = d.Alerts
	}
	if len(d.Sessions) == 0 && d.Order == nil {
		return &after, true
	}
	order := d.Order
	if order == nil {
		order = idsOf(before.Sessions)
	}
	sessions := map[SessionID]*Session{}
	for i := range before.Sessions {
		sessions[before.Sessions[i].ID] = &before.Sessions[i]
	}
	for i := range d.Sessions {
		changed := d.Sessions[i]
		if was := sessions[changed.ID]; was != nil {
			changed.Panes = mergePanes(was.Panes, changed.Panes, d.Panes[changed.ID])
		}
		sessions[changed.ID] = &changed
	}
	after.Sessions = make([]Session, 0, len(order))
	for _, id := range order {
		if s := sessions[id]; s != nil {
			after.Sessions = append(after.Sessions, *s)
		}
	}
	return &after, true
}

// mergePanes puts changed panes in place of those before, in an order; nil is the order before.
func mergePanes(before, changed []Pane, order []PaneID) []Pane {
	of := map[PaneID]*Pane{}
	for i := range before {
		of[before[i].ID] = &before[i]
	}
	if order == nil {
		order = paneIDsOf(&Session{Panes: before})
	}
	for i := range changed {
		of[changed[i].ID] = &changed[i]
	}
	panes := make([]Pane, 0, len(order))
	for _, id := range order {
		if pane := of[id]; pane != nil {
			panes = append(panes, *pane)
		}
	}
	return panes
}
