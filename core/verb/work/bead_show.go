package work

import (
	"context"
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
		return []registry.Action{verb.NextAction("claim", "Take it", "bead-claim", o.Item.ID)}
	case o.Item.Status == bead.InProgress:
		return []registry.Action{verb.NextAction("forecast", "See how long such items take", "bead-show", o.Item.ID,
			"--forecast")}
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
