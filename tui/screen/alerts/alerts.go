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
	alerts []core.Alert
	list   screen.List
	// chosen is the id of the selected alert.
	chosen string
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

// Visible are no panes.
func (s *Screen) Visible() []core.PaneID { return nil }

// Handle moves the selection, and says which alert is meant.
func (s *Screen) Handle(wanted intent.Intent) intent.Intent {
	if wanted = s.list.Handle(wanted); wanted == nil {
		s.choose()
		return nil
	}
	none := len(s.alerts) == 0
	switch wanted.(type) {
	case intent.GoTo:
		if none {
			return intent.Back{}
		}
		about := &s.alerts[s.list.At]
		if id, is := strings.CutPrefix(about.Subject, crewSubject); is && about.Session == "" {
			return intent.Open{Screen: "runs", ID: id}
		}
		if id, is := strings.CutPrefix(about.Subject, runSubject); is && about.Session == "" {
			return intent.Open{Screen: "runs", ID: id}
		}
		return intent.GoTo{Pane: about.Pane, Session: about.Session}
	case intent.Dismiss:
		if none {
			return nil
		}
		about := &s.alerts[s.list.At]
		return intent.Act{Input: overview.DismissIn{Alert: about.ID}, What: about.Subject}
	}
	return wanted
}

// Applies reports whether there is an alert, of intents about one.
func (s *Screen) Applies(wanted intent.Intent) bool {
	return len(s.alerts) > 0 || !intent.Among(wanted, intent.GoTo{}, intent.Dismiss{})
}

func (s *Screen) choose() {
	if s.list.At < len(s.alerts) {
		s.chosen = s.alerts[s.list.At].ID
	}
}

// gather collects the open alerts of a snapshot, and finds the selected one again.
func (s *Screen) gather(snap *core.Snapshot) {
	s.alerts = s.alerts[:0]
	if snap == nil {
		return
	}
	for i := range snap.Alerts {
		if snap.Alerts[i].Open() {
			s.alerts = append(s.alerts, snap.Alerts[i])
		}
	}
	slices.SortStableFunc(s.alerts, func(a, b core.Alert) int {
		return cmp.Or(a.Severity.Compare(b.Severity), a.FirstSeen.Compare(b.FirstSeen))
	})
	if at := slices.IndexFunc(s.alerts, func(a core.Alert) bool { return a.ID == s.chosen }); at >= 0 {
		s.list.At = at
	}
}

// View draws a row per alert: severity, subject, message, for how long, and how often.
func (s *Screen) View(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	s.gather(w.Snapshot)
	head, body := r.Top(1)
	lines := widget.Bar(w.Theme, head, widget.Styled(theme.Header, "  Alerts"),
		widget.Styled(theme.Dim, fmt.Sprintf("%d open", len(s.alerts))))
	rows := widget.Rows{
		Empty: "no open alert", Left: make([]widget.Line, len(s.alerts)),
		Right: make([]widget.Line, len(s.alerts)),
	}
	subject := 0
	for i := range s.alerts {
		subject = max(subject, widget.Styled(theme.Text, s.alerts[i].Subject).Width())
	}
	subject = min(subject, r.W/4)
	for i := range s.alerts {
		rows.Left[i], rows.Right[i] = row(w, &s.alerts[i], subject, r.W)
	}
	drawn, top := s.list.View(w, body, rows)
	s.choose()
	for i := top; i < len(s.alerts) && i-top < body.H; i++ {
		if pane := w.Snapshot.Pane(s.alerts[i].Pane); pane != nil {
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
