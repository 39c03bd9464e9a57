package work

import (
	"context"
	"fmt"
	"time"

	"cupola/core"
	"cupola/core/bridge/bead"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type forecastIn struct {
	ID string `arg:"1" required:"true" lister:"bead-list" help:"The work item's id"`
	verb.InProject
}

type forecastOut struct {
	origin
	ID     string      `json:"id"`
	Title  string      `json:"title"`
	Status bead.Status `json:"status"`
	// Estimated is always true.
	Estimated bool `json:"estimated"`
	// Samples is how many closed items the estimate is made from, Like which: those of
	// the same type_and_priority, of the same type, or all.
	Samples int    `json:"samples"`
	Like    string `json:"like,omitempty"`
	// Basis is started_to_closed, or created_to_closed where too few items say when
	// they were started.
	Basis string `json:"basis,omitempty"`
	// MedianHours and P80Hours are how long half and four fifths of them took; absent
	// without samples.
	MedianHours *float64 `json:"median_hours,omitempty"`
	P80Hours    *float64 `json:"p80_hours,omitempty"`
	// AgeHours is how long the item has taken so far, by the same basis.
	AgeHours float64 `json:"age_hours"`
	// RemainingHours and RemainingP80Hours are the remaining hours of the items that took longer than that; Longer
	// counts them. The hours are absent where none did.
	RemainingHours    *float64 `json:"remaining_hours,omitempty"`
	RemainingP80Hours *float64 `json:"remaining_p80_hours,omitempty"`
	Longer            int      `json:"longer_samples"`
	// EtaMedian and EtaP80 are the same as times; absent where they are, and where the
	// item waits for others.
	EtaMedian string `json:"eta_median,omitempty"`
	EtaP80    string `json:"eta_p80,omitempty"`
	// Chain has one row per item that has to be done first, in order, and then the
	// item itself.
	Chain []forecastStep `json:"chain"`
}

// forecastStep is an item of the longest chain that leads to another.
type forecastStep struct {
	_        struct{}    `minimal:"id,title,median_hours" table:"FIRST,STATE,WHO,USUALLY,TITLE"`
	ID       string      `json:"id" table:"FIRST,strong"`
	Title    string      `json:"title" table:"TITLE,flex"`
	Status   bead.Status `json:"status" table:"STATE"`
	Assignee string      `json:"assignee,omitempty" table:"WHO,empty=-"`
	// Samples is how many closed items its median is made from; without one it is 0.
	Samples     int     `json:"samples"`
	MedianHours float64 `json:"median_hours"`
	P80Hours    float64 `json:"p80_hours"`
}

var forecast = registry.Define(registry.Spec[*verb.Env, forecastIn, forecastOut]{
	Name: "forecast", Of: "bead-show --forecast", Group: verb.GroupWork,
	Short: "Estimate how long a work item will take",
	Long: "Based on how long closed items took: those of the same type and priority if there are five, else of the " +
		"same type, else all. A blocked item gets no date; its chain shows what comes first.",
	Scope: registry.Resource, Effect: registry.Reads, Examples: []string{"bd-1", "bd-3"}, List: "chain",
	Errors: append([]core.Code{core.NotFound, core.Conflict}, readingBeads...), Run: runForecast,
}).SeeAlso("plan", "triage")

func runForecast(ctx context.Context, env *verb.Env, in forecastIn) (forecastOut, error) {
	w, err := workOf(ctx, env, in.InProject)
	if err != nil {
		return forecastOut{}, err
	}
	item, err := w.set.Find(in.ID)
	if err != nil {
		return forecastOut{}, err
	}
	return w.forecast(item)
}

// forecast estimates how long an item will take.
func (w *work) forecast(item *bead.Item) (forecastOut, error) {
	if item.Done() {
		return forecastOut{}, &core.Error{
			Code: core.Conflict, Message: item.ID + " was closed at " + core.Stamp(item.Closed),
			Hint: "Ask for an item that is open.", Actions: []string{"cupola bead-list"},
		}
	}
	learnt := bead.Learn(w.items)
	out := forecastOf(w, learnt.Of(item, w.now), item)
	for _, step := range w.graph.Chain(item.ID) {
		f := learnt.Of(step, w.now)
		out.Chain = append(out.Chain, forecastStep{
			ID: step.ID, Title: step.Title, Status: step.Status, Assignee: step.Assignee, Samples: f.Samples,
			MedianHours: hours(f.Median), P80Hours: hours(f.P80),
		})
	}
	return out, nil
}

func forecastOf(w *work, f bead.Forecast, item *bead.Item) forecastOut {
	out := forecastOut{
		origin: w.origin, ID: item.ID, Title: item.Title, Status: item.Status, Estimated: true,
		Samples: f.Samples, Like: f.Like, Basis: f.Basis, AgeHours: hours(f.Age), Longer: f.Longer,
	}
	if f.Samples > 0 {
		out.MedianHours, out.P80Hours = new(hours(f.Median)), new(hours(f.P80))
	}
	if f.Longer > 0 {
		out.RemainingHours, out.RemainingP80Hours = new(hours(f.Left)), new(hours(f.LeftP80))
		if len(w.graph.Blockers(item.ID)) == 0 {
			out.EtaMedian, out.EtaP80 = core.Stamp(w.now.Add(f.Left)), core.Stamp(w.now.Add(f.LeftP80))
		}
	}
	return out
}

// hours are rounded to a tenth.
func hours(d time.Duration) float64 { return verb.Rounded(d.Hours(), 1) }

func (o forecastOut) Report() *report.Report {
	r := report.Say(report.Toned(report.Strong, o.ID), report.Text("  "+o.Title))
	say := func(format string, args ...any) {
		r.AddLine(report.Text(fmt.Sprintf(format, args...)))
	}
	switch {
	case o.Samples == 0:
		say("no closed item says how long one takes")
		return r
	case o.RemainingHours == nil:
		say("it has taken %s so far, longer than all %s that it was compared with", span(o.AgeHours),
			verb.Plural(o.Samples, "closed item"))
	default:
		say("estimate: half of such items need another %s, four fifths less than %s (it has taken %s so far)",
			span(*o.RemainingHours), span(*o.RemainingP80Hours), span(o.AgeHours))
	}
	if len(o.Chain) > 1 {
		r.AddRows("", o.Chain[:len(o.Chain)-1], time.Time{})
	}
	like := map[string]string{
		"type_and_priority": " of the same type and priority",
		"type":              " of the same type",
	}[o.Like]
	since := map[string]string{
		bead.FromStart:  "from start to end",
		bead.FromMaking: "from their making to their end",
	}[o.Basis]
	return r.AddLine(report.Toned(report.Dim,
		fmt.Sprintf("from %s%s, %s", verb.Plural(o.Samples, "closed item"), like, since)))
}

// span writes hours for people.
func span(h float64) string {
	if h >= 48 {
		return fmt.Sprintf("%.0f days", h/24)
	}
	return fmt.Sprintf("%g h", h)
}

// Cell shows how long such a step takes.
func (s *forecastStep) Cell(title string) (report.Cell, bool) {
	if title == "USUALLY" {
		return report.Text(span(s.MedianHours)), true
	}
	return report.Cell{}, false
}
