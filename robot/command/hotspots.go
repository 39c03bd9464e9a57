package command

import (
	"context"
	"fmt"

	"cupola/core/report"
	"cupola/robot/registry"
)

type hotspotsIn struct {
	inRepository
	registry.Page
}

type hotspotsOut struct {
	repository
	paged
	// Files has a row a file that the repository still holds: the one that changed
	// most often first.
	Files []hotspot `json:"files"`
}

// hotspot is how often a file changed.
type hotspot struct {
	_       struct{} `minimal:"file,commits" standard:"file,commits,item_count,open_item_count,last_at"`
	File    string   `json:"file"`
	Commits int      `json:"commits"`
	// Authors are the people who changed it, the most active first.
	Authors []string `json:"authors"`
	LastAt  string   `json:"last_at,omitempty"`
	// Items counts the work items that are about the file, OpenItems those not done.
	Items     int `json:"item_count"`
	OpenItems int `json:"open_item_count"`
}

var hotspots = registry.Define(registry.Spec[hotspotsIn, hotspotsOut]{
	Name: "hotspots", Group: groupWork, Short: "List the files that change most often",
	Long:  "Read from the repository's commits. A work item is about a file if its text names the file, or if a commit that names the item changed it.",
	Scope: registry.Global, Effect: registry.Reads, List: "files",
	Deprecated: registry.Prefixed{Prefix: "hotspots", Flags: []string{"limit"}},
	Default:    hotspotsIn{Page: registry.Page{Limit: 20}}, Examples: []hotspotsIn{{Page: registry.Page{Limit: 20}}, {Page: registry.Page{Limit: 1}}},
	Errors: readingFiles, Run: runHotspots, Human: func(_ hotspotsIn, out hotspotsOut) *report.Report { return hotspotsReport(out) },
	Hints: func(_ hotspotsIn, out hotspotsOut) *registry.Hints { return pageHints(out.Pagination) },
}).SeeAlso("files", "summary")

func runHotspots(ctx context.Context, deps *registry.Deps, in hotspotsIn) (hotspotsOut, error) {
	f, err := filesOfProject(ctx, deps, in.inRepository)
	if err != nil {
		return hotspotsOut{}, err
	}
	out := hotspotsOut{repository: f.repository, Files: []hotspot{}}
	shown, page := cut(f.log.Hotspots(), in.Page)
	out.paged = page
	for _, spot := range shown {
		row := hotspot{File: spot.File, Commits: spot.Commits, Authors: append([]string{}, spot.Authors...), LastAt: stamp(spot.Last)}
		for i := range f.work.items {
			item := &f.work.items[i]
			if f.touches[item.ID][spot.File] != nil {
				row.Items++
				if !item.Done() {
					row.OpenItems++
				}
			}
		}
		out.Files = append(out.Files, row)
	}
	return out, nil
}

func hotspotsReport(out hotspotsOut) *report.Report {
	table := &report.Table{Columns: report.Columns("FILE", "COMMITS", "ITEMS", "OPEN", "LAST"), Empty: "no commit changed a file"}
	table.Columns[0].Flex, table.Columns[1].Right, table.Columns[2].Right, table.Columns[3].Right = true, true, true, true
	for i := range out.Files {
		row := &out.Files[i]
		table.Rows = append(table.Rows, []report.Cell{
			report.Toned(report.Strong, row.File), report.Text(fmt.Sprint(row.Commits)), report.Text(fmt.Sprint(row.Items)), report.Text(fmt.Sprint(row.OpenItems)),
			report.Toned(report.Dim, row.LastAt),
		})
	}
	return (&report.Report{}).Add(report.Block{Table: table})
}
