// Package alerts lists the open alerts, the worst first.
package alerts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/term/cells"
	"cupola/core/verb/overview"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// wide is the width from which a row says its type too, in cells.
const wide = 100

// Screen is the list of open alerts.
type Screen struct {
	list screen.Listed[core.Alert]
}

// crewSubject begins the subject of an alert about a crew, before its id, and runSubject that of one about a run of
// stories.
const crewSubject, runSubject = "crew/", "story/"

// New makes the list.
func New() *Screen { return &Screen{} }

// Entry registers it.
var Entry = screen.Entry{
	Name: "alerts", Keys: []*intent.Scope{&intent.Alerting}, Open: screen.Always(New),
	Words: "warnings notifications",
}

// Scope is the table of active keys.
func (s *Screen) Scope() *intent.Scope { return &intent.Alerting }

// Handle moves the selection, and says which alert is meant.
func (s *Screen) Handle(wanted intent.Intent) intent.Intent {
	about := s.list.Selected()
	switch wanted.(type) {
	case intent.GoTo:
		if about == nil {
			return intent.Back{}
		}
		for _, kind := range []string{crewSubject, runSubject} {
			if id, is := strings.CutPrefix(about.Subject, kind); is && about.Session == "" {
				return intent.Open{Screen: "runs", ID: id}
			}
		}
		return intent.GoTo{Pane: about.Pane, Session: about.Session}
	case intent.Dismiss:
		if about == nil {
			return nil
		}
		return intent.Act{Input: overview.DismissIn{Alert: about.ID}, What: about.Subject}
	}
	return s.list.Handle(wanted)
}

// Applies reports whether there is an alert, of intents about one.
func (s *Screen) Applies(wanted intent.Intent) bool {
	return len(s.list.Rows) > 0 || !intent.Among(wanted, intent.GoTo{}, intent.Dismiss{})
}

// gather collects the open alerts of a snapshot, and finds the selected one again.
func (s *Screen) gather(snap *core.Snapshot) {
	var open []core.Alert
	if snap == nil {
		return
	}
	for i := range snap.Alerts {
		if snap.Alerts[i].Open() {
			open = append(open, snap.Alerts[i])
		}
	}
	slices.SortStableFunc(open, func(a, b core.Alert) int {
		return cmp.Or(a.Severity.Compare(b.Severity), a.FirstSeen.Compare(b.FirstSeen))
	})
	s.list.Take(open, func(a *core.Alert) string { return a.ID })
}

// View draws a row per alert: severity, subject, message, for how long, and how often.
func (s *Screen) View(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	s.gather(w.Snapshot)
	alerts := s.list.Rows
	head, body := r.Top(1)
	lines := widget.Bar(w.Theme, head, widget.Styled(theme.Header, "  Alerts"),
		widget.Styled(theme.Dim, fmt.Sprintf("%d open", len(alerts))))
	rows := widget.Rows{
		Empty: "no open alert", Left: make([]widget.Line, len(alerts)),
		Right: make([]widget.Line, len(alerts)),
	}
	subject := 0
	for i := range alerts {
		subject = max(subject, widget.Styled(theme.Text, alerts[i].Subject).Width())
	}
	subject = min(subject, r.W/4)
	for i := range alerts {
		rows.Left[i], rows.Right[i] = row(w, &alerts[i], subject, r.W)
	}
	drawn, top := s.list.View(w, body, rows)
	for i := top; i < len(alerts) && i-top < body.H; i++ {
		if pane := w.Snapshot.Pane(alerts[i].Pane); pane != nil {
			zones.Add(body.Row(i-top), screen.TargetOfPane(pane))
		}
	}
	return append(lines, drawn...)
}

func row(w *screen.World, alert *core.Alert, subject, width int) (left, right widget.Line) {
	token := Token(alert.Severity)
	left = widget.Line{
		{Token: token, Text: fmt.Sprintf("%-8s ", alert.Severity)},
		{Token: theme.Strong, Text: widget.Fit(w.Theme, alert.Subject, subject) + "  "},
	}
	if width >= wide {
		left = append(left, widget.Span{Token: theme.Dim, Text: fmt.Sprintf("%-16s  ", alert.Type)})
	}
	left = append(left, widget.Span{Token: theme.Text, Text: cells.Clean(alert.Message)})
	right = widget.Line{{Token: theme.Dim, Text: fmt.Sprintf(" %3s", w.Age(alert.FirstSeen))}}
	if alert.Count > 1 {
		right = append(widget.Line{{Token: theme.Dim, Text: fmt.Sprintf(" x%d", alert.Count)}}, right...)
	}
	return left, right
}

// Token is the token of a severity.
func Token(severity core.Severity) theme.Token {
	switch severity {
	case core.SeverityCritical, core.SeverityError:
		return theme.Danger
	case core.SeverityWarning:
		return theme.Warn
	}
	return theme.Dim
}
