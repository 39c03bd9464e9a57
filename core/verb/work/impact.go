package work

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/bridge/bead"
	"cupola/core/git/commits"
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

type fileBeadsIn struct {
	File string `arg:"1" required:"true" names:"file-name" help:"The file"`
	inRepository
	registry.Page `default:"limit=100"`
}

type fileBeadsOut struct {
	repository
	verb.Paged
	File string `json:"file"`
	// Items has one row per work item that is about the file: those not done first, then
	// the most urgent.
	Items []fileItem `json:"items" empty:"no work item is about it"`
}

var fileBeads = registry.Define(registry.Spec[*verb.Env, fileBeadsIn, fileBeadsOut]{
	Name: "file-beads", Of: "impact", Group: verb.GroupWork, Short: "List the work items that are about a file",
	Long:  "An item is about a file if its text names the file, or if a commit that names the item changed it.",
	Scope: registry.Resource, Effect: registry.Reads, List: "items",
	Deprecated: registry.Prefixed{Prefix: "file-beads", Flags: []string{"limit"}},
	Examples:   []string{"main.go"},
	Errors:     readingFiles, Run: runFileBeads,
}).SeeAlso("bead-list", "files")

func runFileBeads(ctx context.Context, env *verb.Env, in fileBeadsIn) (fileBeadsOut, error) {
	f, err := filesOfProject(ctx, env, in.inRepository)
	if err != nil {
		return fileBeadsOut{}, err
	}
	file, err := f.find(in.File)
	if err != nil {
		return fileBeadsOut{}, err
	}
	out := fileBeadsOut{repository: f.repository, File: file}
	out.Items, out.Paged = verb.Cut(f.about(file), in.Page)
	return out, nil
}

type hotspotsIn struct {
	inRepository
	registry.Page `default:"limit=20"`
}

type hotspotsOut struct {
	repository
	verb.Paged
	// Files has one row per file that the repository still holds: the one that changed
	// most often first.
	Files []hotspot `json:"files" empty:"no commit changed a file"`
}

// hotspot is how often a file changed.
type hotspot struct {
	_ struct{} `minimal:"file,commits" standard:"file,commits,item_count,open_item_count,last_at"`
	_ struct{} `table:"FILE,COMMITS,ITEMS,OPEN,LAST"`
	commits.Spot
	// Items counts the work items that are about the file, OpenItems those not done.
	Items     int `json:"item_count" table:"ITEMS"`
	OpenItems int `json:"open_item_count" table:"OPEN"`
}

var hotspots = registry.Define(registry.Spec[*verb.Env, hotspotsIn, hotspotsOut]{
	Name: "hotspots", Of: "impact", Group: verb.GroupWork, Short: "List the files that change most often",
	Long: "Read from the repository's commits. A work item is about a file if its text names the file, or if a " +
		"commit that names the item changed it.",
	Scope: registry.Global, Effect: registry.Reads, List: "files",
	Deprecated: registry.Prefixed{Prefix: "hotspots", Flags: []string{"limit"}},
	Examples:   []string{"", "--limit=1"},
	Errors:     readingFiles, Run: runHotspots,
}).SeeAlso("files", "summary")

func runHotspots(ctx context.Context, env *verb.Env, in hotspotsIn) (hotspotsOut, error) {
	f, err := filesOfProject(ctx, env, in.inRepository)
	if err != nil {
		return hotspotsOut{}, err
	}
	out := hotspotsOut{repository: f.repository}
	shown, page := verb.Cut(f.log.Hotspots(), in.Page)
	out.Paged, out.Files = page, f.hotspots(shown)
	return out, nil
}

// hotspots says how many work items are about files.
func (f *projectFiles) hotspots(spots []commits.Spot) []hotspot {
	return core.Map(spots, func(spot commits.Spot) hotspot {
		row := hotspot{Spot: spot}
		for i := range f.work.items {
			item := &f.work.items[i]
			if f.touches[item.ID][spot.File] != nil {
				row.Items++
				if !item.Done() {
					row.OpenItems++
				}
			}
		}
		return row
	})
}

type relationsIn struct {
	File      string `arg:"1" names:"file-name" help:"Only files that change together with this one"`
	Threshold string `default:"0.5" help:"How often they must change together, as a share of the changes to the less active file: 0.5 or 50%"`
	inRepository
	registry.Page `default:"limit=20"`
}

type relationsOut struct {
	repository
	verb.Paged
	// File is the file that was asked for; absent if none was.
	File      string  `json:"file,omitempty"`
	Threshold float64 `json:"threshold"`
	// Relations has a row for two files that change together: those that do so most
	// often first.
	Relations []relation `json:"relations" empty:"no files change together that often"`
}

// share is a part of a whole, from 0 to 1.
type share float64

// String writes it in percent.
func (s share) String() string { return fmt.Sprintf("%.0f%%", 100*float64(s)) }

// relation is two files that change together.
type relation struct {
	_ struct{} `minimal:"a,b,together" standard:"a,b,together,strength" table:"FILE,WITH,TOGETHER,STRENGTH"`
	commits.Pair
	// Strength is Together as a part of the smaller of the two.
	Strength share `json:"strength" table:"STRENGTH"`
}

var relations = registry.Define(registry.Spec[*verb.Env, relationsIn, relationsOut]{
	Name: "relations", Of: "impact --threshold=0.5", Group: verb.GroupWork, Short: "List files that change together",
	Long: "Read from the repository's commits, leaving out those that changed more than 30 files. Files must have " +
		"changed together at least twice.",
	Scope: registry.Resource, Effect: registry.Reads, List: "relations",
	Deprecated: registry.Prefixed{Prefix: "relations", Flags: []string{"limit", "threshold"}},
	Examples:   []string{"", "main.go --threshold=0.3"},
	Errors:     readingFiles, Run: runRelations,
}).SeeAlso("impact", "files")

func runRelations(ctx context.Context, env *verb.Env, in relationsIn) (relationsOut, error) {
	percent, err := percentOf(in.Threshold)
	if err != nil {
		return relationsOut{}, err
	}
	f, err := filesOfProject(ctx, env, in.inRepository)
	if err != nil {
		return relationsOut{}, err
	}
	out := relationsOut{repository: f.repository, Threshold: float64(percent) / 100}
	if in.File != "" {
		if out.File, err = f.find(in.File); err != nil {
			return out, err
		}
	}
	out.Relations, out.Paged = verb.Cut(f.related(out.File, percent), in.Page)
	return out, nil
}

func (f *projectFiles) related(file string, percent int) []relation {
	return core.Map(f.log.Pairs(percent, file), func(pair commits.Pair) relation {
		return relation{Pair: pair, Strength: share(pair.Percent) / 100}
	})
}

// percentOf reads a part of a whole: 0.5, 50% or 50.
func percentOf(text string) (int, error) {
	number, percents := strings.CutSuffix(strings.TrimSpace(text), "%")
	n, err := strconv.ParseFloat(number, 64)
	if !percents && n <= 1 {
		n *= 100
	}
	if err != nil || !(n >= 0 && n <= 100) {
		return 0, &core.Error{
			Code:    core.InvalidInput,
			Message: fmt.Sprintf("--threshold: %q is not a part of a whole, such as 0.5 or 50%%", text),
		}
	}
	return int(n), nil
}

// Check sees that what was given can be read.
func (in relationsIn) Check() error {
	_, err := percentOf(in.Threshold)
	return err
}
