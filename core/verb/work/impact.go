package work

import (
	"context"
	"fmt"
	"strings"
	"time"

	"cupola/core/bridge/bead"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type impactIn struct {
	File      string `arg:"1" names:"file-name" help:"The file (default: those that change most often)"`
	Threshold string `default:"0.3" help:"How often files must change together, as a share of the changes to the less active one: 0.3 or 30%"`
	inRepository
	registry.Page `default:"limit=20"`
}

// Check sees that the threshold can be read.
func (in impactIn) Check() error {
	_, err := percentOf(in.Threshold)
	return err
}

type impactOut struct {
	repository
	// The page is one of the work items or, where no file was asked for, of the hotspots.
	verb.Paged
	// File is the file that was asked for; absent if none was.
	File string `json:"file,omitempty"`
	// Hotspots are the files that change most often; absent where a file was asked for.
	Hotspots []hotspot `json:"hotspots,omitempty"`
	// Changes counts the commits that changed it, Authors are their authors, the most active first, LastAt is its
	// last change; absent if it never did.
	Changes int       `json:"changes"`
	Authors []string  `json:"authors"`
	LastAt  time.Time `json:"last_at,omitzero"`
	// Risk is low, medium or high; Why gives the reasons. It is absent where no file was asked for.
	Risk string   `json:"risk,omitempty"`
	Why  []string `json:"reasons"`
	// Items are the work items that are about it.
	Items []fileItem `json:"items" minimal:"id,title,status"`
	// Related are the files that change together with it, or with each other.
	Related []relation `json:"related"`
}

var impact = registry.Define(registry.Spec[*verb.Env, impactIn, impactOut]{
	Name: "impact", Group: verb.GroupWork, Short: "Show what a change to a file affects",
	Long: "Read from the repository's commits. Lists the work items about the file and the files that change " +
		"together with it; without a file, those that change most often and those that change together. The risk is " +
		"high if " +
		"an item about it is in progress, or if two of these hold: an open item is about it, three files " +
		"change with it, it changed ten times; it is medium if one holds.",
	Scope: registry.Resource, Effect: registry.Reads, Examples: []string{"main.go", ""}, List: "items",
	Errors: readingFiles, Run: runImpact,
}).SeeAlso("files", "summary")

func runImpact(ctx context.Context, env *verb.Env, in impactIn) (impactOut, error) {
	f, err := filesOfProject(ctx, env, in.inRepository)
	if err != nil {
		return impactOut{}, err
	}
	percent, err := percentOf(in.Threshold)
	if err != nil {
		return impactOut{}, err
	}
	if in.File == "" {
		out := impactOut{repository: f.repository}
		spots, page := verb.Cut(f.log.Hotspots(), in.Page)
		out.Paged = page
		out.Hotspots = f.hotspots(spots)
		out.Related, _ = verb.Cut(f.related("", percent), in.Page)
		return out, nil
	}
	file, err := f.find(in.File)
	if err != nil {
		return impactOut{}, err
	}
	spot := f.log.Spot(file)
	out := impactOut{
		repository: f.repository, File: file, Changes: spot.Commits, Authors: spot.Authors, LastAt: spot.Last,
		Items: f.about(file), Related: f.related(file, percent),
	}
	out.judge()
	out.Items, out.Paged = verb.Cut(out.Items, in.Page)
	out.Related, _ = verb.Cut(out.Related, in.Page)
	return out, nil
}

// judge says how much a change could disturb.
func (o *impactOut) judge() {
	open, signs := 0, 0
	busy := []string{}
	for _, item := range o.Items {
		switch item.Status {
		case bead.Closed:
			continue
		case bead.InProgress, bead.Hooked:
			busy = append(busy, item.ID)
		}
		open++
	}
	const manyFiles, manyChanges = 3, 10
	for _, sign := range []struct {
		holds bool
		why   string
	}{
		{open > 0, verb.Plural(open, "open item") + " about it"},
		{len(o.Related) >= manyFiles, verb.Plural(len(o.Related), "file") + " that change with it"},
		{o.Changes >= manyChanges, "changed " + verb.Plural(o.Changes, "time")},
	} {
		if sign.holds {
			signs++
			o.Why = append(o.Why, sign.why)
		}
	}
	o.Risk = []string{"low", "medium", "high", "high"}[signs]
	if len(busy) > 0 {
		o.Risk, o.Why = "high", append([]string{"in progress: " + strings.Join(busy, ", ")}, o.Why...)
	}
}

func (o impactOut) Report() *report.Report {
	if o.File == "" {
		r := report.TableOf(o.Hotspots, time.Time{}, "no commit changed a file").Report()
		return r.AddRows("Change together", o.Related, time.Time{})
	}
	tone := map[string]report.Tone{"low": report.Good, "medium": report.Warn, "high": report.Bad}[o.Risk]
	r := report.Say(report.Toned(report.Strong, o.File), report.Text("  risk "), report.Toned(tone, o.Risk),
		report.Toned(report.Dim, "  "+strings.Join(o.Why, ", ")))
	changed := "no commit changed it"
	if o.Changes > 0 {
		changed = fmt.Sprintf("%s by %s, the last at %s", verb.Plural(o.Changes, "commit"),
			strings.Join(o.Authors, ", "), o.LastAt)
	}
	r.AddLine(report.Toned(report.Dim, changed))
	r.Add(report.Block{
		Heading: "Work items",
		Table:   report.TableOf(o.Items, time.Time{}, "no work item is about it"),
	})
	related := report.TableOf(o.Related, time.Time{}, "no files change together that often")
	return r.AddTable("Changes together with", related)
}
