package house

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// frontPageMax is the most words that README.md has, as wc counts them.
const frontPageMax = 900

// link is a Markdown link or picture to a file of this tree.
var link = regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)

// pages checks that links between pages lead somewhere, that the index names every page, and that the front page is
// short.
func pages(m *module) (seen int, faults []fault) {
	indexed := map[string]bool{"README.md": true, "docs/README.md": true}
	for _, t := range m.texts {
		if path.Ext(t.path) != ".md" {
			continue
		}
		seen++
		if words := len(strings.Fields(t.body)); t.path == "README.md" && words > frontPageMax {
			text := fmt.Sprintf("has %d words, at most %d", words, frontPageMax)
			faults = append(faults, fault{path: t.path, text: text})
		}
		for i, line := range strings.Split(t.body, "\n") {
			for _, found := range link.FindAllStringSubmatch(line, -1) {
				to := path.Join(path.Dir(t.path), found[1])
				indexed[to] = indexed[to] || t.path == "docs/README.md"
				if !slices.Contains(m.names, to) {
					faults = append(faults, fault{t.path, i + 1, found[1] + ": no such file"})
				}
			}
		}
	}
	for _, t := range m.texts {
		if path.Ext(t.path) == ".md" && strings.HasPrefix(t.path, "docs/") && !indexed[t.path] {
			faults = append(faults, fault{path: t.path, text: "is not in docs/README.md"})
		}
	}
	return seen, faults
}
