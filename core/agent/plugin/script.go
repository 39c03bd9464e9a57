package plugin

import (
	_ "embed" // the script
	"fmt"
	"strconv"
	"strings"

	"cupola/core"
	"cupola/core/agent"
)

//go:embed script.js
var script string

//go:embed extension.ts
var extension string

// signature begins every script of ours, whatever its version.
const signature = "// Cupola's hooks."

// folderLine says how many folders were made for the script.
const folderLine = "// Folders made: "

// script is the whole file.
func (p *Plugin) script(folders int) string {
	form := script
	if p.spec.Form == agent.Extension {
		form = extension
	}
	events := core.Map(p.spec.Events, quoted)
	return strings.NewReplacer(
		"FOLDERS", strconv.Itoa(folders), "KIND", string(p.Kind), "SELF", quoted(p.self), "MARK", quoted(Mark),
		"EVENTS", strings.Join(events, ", "),
	).Replace(form)
}

func foldersOf(text string) int {
	_, rest, _ := strings.Cut(text, folderLine)
	line, _, _ := strings.Cut(rest, "\n")
	folders, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		return 0
	}
	return min(folders, deepestFolder)
}

// deepestFolder bounds how many folders a file may say were made for it.
const deepestFolder = 3

func (p *Plugin) scriptStatus(text string) (Status, error) {
	switch {
	case !strings.HasPrefix(text, signature):
		return Status{}, &core.Error{
			Code: core.Conflict, Message: fmt.Sprintf("%s is there and not Cupola's", p.File),
			Hint: "Move the file away, then install again.",
		}
	case text == p.script(foldersOf(text)):
		return Status{State: Installed}, nil
	case !strings.Contains(text, quoted(p.self)):
		return Status{State: Drifted, Problems: []string{"it runs another path"}}, nil
	}
	return Status{State: Drifted, Problems: []string{"it was edited, or is of another version"}}, nil
}
