package work

import (
	"context"

	"cupola/core/git/commits"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

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
	var rows []hotspot
	for _, spot := range spots {
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
		rows = append(rows, row)
	}
	return rows
}
