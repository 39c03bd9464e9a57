package command

import (
	"context"
	"fmt"

	"cupola/core/report"
	"cupola/robot/registry"
)

type fileBeadsIn struct {
	File string `arg:"1" required:"true" help:"The file"`
	inRepository
	registry.Page
}

type fileBeadsOut struct {
	repository
	paged
	File string `json:"file"`
	// Items has a row a work item that is about the file: those not done first, then
	// the most urgent.
	Items []fileItem `json:"items"`
}

var fileBeads = registry.Define(registry.Spec[fileBeadsIn, fileBeadsOut]{
	Name: "file-beads", Group: groupWork, Short: "List the work items that are about a file",
	Long:  "An item is about a file if its text names the file, or if a commit that names the item changed it.",
	Scope: registry.Resource, Effect: registry.Reads, List: "items",
	Deprecated: registry.Prefixed{Prefix: "file-beads", Flags: []string{"limit"}},
	Default:    fileBeadsIn{Page: registry.Page{Limit: 100}}, Examples: []fileBeadsIn{{File: "main.go", Page: registry.Page{Limit: 100}}},
	Errors: readingFiles, Run: runFileBeads, Human: func(_ fileBeadsIn, out fileBeadsOut) *report.Report {
		return (&report.Report{}).Add(report.Block{Table: fileItemTable(out.Items)})
	},
	Hints: func(_ fileBeadsIn, out fileBeadsOut) *registry.Hints { return pageHints(out.Pagination) },
}).SeeAlso("bead-list", "files")

func runFileBeads(ctx context.Context, deps *registry.Deps, in fileBeadsIn) (fileBeadsOut, error) {
	f, err := filesOfProject(ctx, deps, in.inRepository)
	if err != nil {
		return fileBeadsOut{}, err
	}
	file, err := f.find(in.File)
	if err != nil {
		return fileBeadsOut{}, err
	}
	out := fileBeadsOut{repository: f.repository, File: file}
	out.Items, out.paged = cut(f.about(file), in.Page)
	return out, nil
}

func fileItemTable(items []fileItem) *report.Table {
	table := &report.Table{Columns: report.Columns("ID", "PRIORITY", "STATE", "COMMITS", "NAMED", "TITLE"), Empty: "no work item is about it"}
	table.Columns[3].Right, table.Columns[5].Flex = true, true
	for i := range items {
		item := &items[i]
		named := report.Toned(report.Dim, "-")
		if item.Named {
			named = report.Text("yes")
		}
		table.Rows = append(table.Rows, []report.Cell{
			report.Toned(report.Strong, item.ID), report.Text(fmt.Sprintf("P%d", item.Priority)), report.Text(item.Status), report.Text(fmt.Sprint(item.Commits)), named, report.Text(item.Title),
		})
	}
	return table
}
