package work

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/bridge/bead"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type beadShowIn struct {
	ID       string `arg:"1" required:"true" lister:"bead-list" help:"The work item's id"`
	Forecast bool   `help:"Also estimate how long it will take, from how long closed items took; one that is blocked gets no date, but the items that come first"`
	verb.InProject
}

type beadShowOut struct {
	origin
	Item beadRow `json:"item"`
	bead.Details
	// Links has one row per item that this one is linked to, and for each that is
	// linked to it.
	Links []beadLink `json:"links"`
	// Files are the files that its words name, and that commits which name it changed.
	Files []beadFile `json:"files"`
	// Forecast is the estimate with --forecast.
	Forecast *forecastOut `json:"forecast,omitempty"`
}

// beadLink is a link of an item.
type beadLink struct {
	_ struct{} `minimal:"direction,kind,id" table:"LINK,ID,STATE,TITLE"`
	// Direction is to where this item has the link, and from where the other has.
	Direction string    `json:"direction"`
	Kind      bead.Kind `json:"kind" table:"LINK"`
	ID        string    `json:"id" table:"ID,strong"`
	// Title and Status are absent where there is no such item.
	Title  string      `json:"title,omitempty" table:"TITLE,flex"`
	Status bead.Status `json:"status,omitempty" table:"STATE"`
	// Blocking is true if one of the two has to wait for the other now.
	Blocking bool `json:"blocking"`
}

// beadFile is a file that an item is about.
type beadFile struct {
	_    struct{} `minimal:"file,commits" table:"FILE,COMMITS,NAMED"`
	File string   `json:"file" table:"FILE,flex"`
	// Named is true if the item's own words name it.
	Named bool `json:"named" table:"NAMED,empty=-"`
	// Commits counts those that name the item and changed the file.
	Commits int `json:"commits" table:"COMMITS"`
}

var beadShow = registry.Define(registry.Spec[*verb.Env, beadShowIn, beadShowOut]{
	Name: "bead-show", Group: verb.GroupWork, Short: "Show a work item",
	Scope: registry.Resource, Effect: registry.Reads, Examples: []string{"bd-2", "bd-1 --forecast"}, List: "links",
	Errors: append([]core.Code{core.NotFound, core.Conflict}, readingBeads...), Run: runBeadShow,
}).SeeAlso("bead-list", "triage")

func runBeadShow(ctx context.Context, env *verb.Env, in beadShowIn) (beadShowOut, error) {
	w, err := workOf(ctx, env, in.InProject)
	if err != nil {
		return beadShowOut{}, err
	}
	item, err := w.set.Find(in.ID)
	if err != nil {
		return beadShowOut{}, err
	}
	out := beadShowOut{
		origin: w.origin, Item: w.row(item), Details: item.Details, Links: w.links(item),
	}
	log, err := w.history(ctx)
	switch {
	case err == nil:
		out.Files = filesOf(bead.Touches(w.items, log)[item.ID])
	case ctx.Err() != nil:
		return out, err
	}
	if in.Forecast {
		estimate, err := w.forecast(item)
		if err != nil {
			return out, err
		}
		out.Forecast = &estimate
	}
	return out, nil
}

func (w *work) links(item *bead.Item) []beadLink {
	var links []beadLink
	add := func(direction, id string, kind bead.Kind, waits, waited *bead.Item) {
		row := beadLink{Direction: direction, Kind: kind, ID: id}
		if other := w.graph.Item(id); other != nil {
			row.Title, row.Status = other.Title, other.Status
			row.Blocking = kind.Blocks() && !waits.Done() && !waited.Done()
		}
		links = append(links, row)
	}
	for _, link := range item.Links {
		add("to", link.To, link.Kind, item, w.graph.Item(link.To))
	}
	for i := range w.items {
		for _, link := range w.items[i].Links {
			if link.To == item.ID {
				add("from", w.items[i].ID, link.Kind, &w.items[i], item)
			}
		}
	}
	return links
}

// filesOf lists the files of touches, those of most commits first.
func filesOf(touches map[string]*bead.Touch) []beadFile {
	var files []beadFile
	for file, touch := range touches {
		files = append(files, beadFile{File: file, Named: touch.Text, Commits: len(touch.Commits)})
	}
	slices.SortFunc(files, func(a, b beadFile) int {
		if a.Commits != b.Commits {
			return b.Commits - a.Commits
		}
		return strings.Compare(a.File, b.File)
	})
	return files
}

func (o beadShowOut) Next() []registry.Action {
	switch {
	case o.Item.Ready:
		return verb.NextOnly("claim", "Take it", "bead-claim", o.Item.ID)
	case o.Item.Status == bead.InProgress:
		return verb.NextOnly("forecast", "See how long such items take", "bead-show", o.Item.ID, "--forecast")
	}
	return nil
}

func (o beadShowOut) Report() *report.Report {
	item := &o.Item
	r := report.Say(report.Toned(report.Strong, item.ID), report.Text("  "+item.Title))
	r.AddRows("", []beadRow{*item}, time.Time{})
	for _, text := range []struct{ heading, words string }{
		{"", o.Description},
		{"Design", o.Design},
		{"Acceptance criteria", o.Acceptance},
		{"Notes", o.Notes},
		{"Closed because", o.CloseReason},
	} {
		if text.words != "" {
			r.Add(report.Block{Heading: text.heading, Quote: strings.TrimRight(text.words, "\n") + "\n"})
		}
	}
	if o.Forecast != nil {
		r.Blocks = append(r.Blocks, o.Forecast.Report().Blocks...)
	}
	return r.AddRows("Links", o.Links, time.Time{}).AddRows("Files", o.Files, time.Time{})
}

// Cell shows the direction of a link, and whether it holds the item up.
func (l *beadLink) Cell(title string) (report.Cell, bool) {
	switch {
	case title == "LINK" && l.Direction == "from":
		return report.Toned(report.Dim, "is "+string(l.Kind)+" of"), true
	case title == "STATE" && l.Blocking:
		return report.Toned(report.Warn, string(l.Status)), true
	}
	return report.Cell{}, false
}

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
