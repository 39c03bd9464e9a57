// Package palette reads saved prompts: the user's own, and those of the project
// folder. Both are files of one format, which users write:
//
//	[[prompt]]
//	key = "review"               # what it is called by
//	text = """Review the diff."""
//	label = "Review the diff"    # default: the key
//	category = "review"
//	tags = ["git"]
//	sessions = ["api", "web-*"]  # where it is offered; default: everywhere
//
// It sends nothing and writes nothing.
package palette

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/config"
	"cupola/core/system/plainfile"
	"cupola/core/text/near"
)

// projectFile is where a project keeps its prompts, from its top folder.
var projectFile = filepath.Join(".cupola", "palette.toml")

// Prompt is a saved prompt.
type Prompt struct {
	Key      string   `toml:"key" json:"key" table:"KEY,strong"`
	Label    string   `toml:"label" json:"label" table:"LABEL"`
	Category string   `toml:"category" json:"category,omitempty" table:"CATEGORY,dim"`
	Text     string   `toml:"text" json:"text" table:"TEXT,dim,oneline,flex"`
	Tags     []string `toml:"tags" json:"tags"`
	// Sessions are the names, or patterns with * and ?, of the sessions for which it is
	// offered; empty is all.
	Sessions []string `toml:"sessions" json:"session_names" names:"session"`
	// Origin is the path of its file.
	Origin string `toml:"-" json:"origin"`
	// Project is true for prompts of the project.
	Project bool `toml:"-" json:"-"`
	// Shadowed is true for a prompt of the project whose key the user's own file
	// has: the key selects the user's prompt.
	Shadowed bool `toml:"-" json:"shadowed"`
}

// Load returns the user's prompts and then those of the project at a location, in the order of
// their files. Missing files are no error. It returns ConfigInvalid, with the line, for a
// file that cannot be parsed.
func Load(loc config.Location) ([]Prompt, error) {
	own, err := read(loc.Paths.Palette())
	if err != nil {
		return nil, err
	}
	file := loc.InProject(projectFile)
	if file == "" {
		return own, nil
	}
	project, err := read(file)
	if err != nil {
		return nil, err
	}
	for i := range project {
		p := &project[i]
		p.Project = true
		p.Shadowed = slices.ContainsFunc(own, func(o Prompt) bool { return o.Key == p.Key })
	}
	return append(own, project...), nil
}

// Find returns the prompt that a key names. It returns NotFound, with similar keys, for an
// unknown one.
func Find(prompts []Prompt, key string) (Prompt, error) {
	var keys []string
	for _, p := range prompts {
		if p.Key == key && !p.Shadowed {
			return p, nil
		}
		keys = append(keys, p.Key)
	}
	err := &core.Error{
		Code: core.NotFound, Message: fmt.Sprintf("no saved prompt has the key %q", key),
		Suggestions: near.Words(key, keys), Slip: core.Slip{Word: key},
		Remedies: []core.Remedy{core.RemedyListPalette},
		Details:  map[string][]string{"keys": append([]string{}, keys...)},
	}
	return Prompt{}, err
}

// Offered reports whether a prompt is for a session.
func (p *Prompt) Offered(session string) bool {
	return len(p.Sessions) == 0 || slices.ContainsFunc(p.Sessions, func(pattern string) bool {
		hit, err := path.Match(pattern, session)
		return err == nil && hit
	})
}

// Mentions reports whether the prompt contains every word of a search, in upper or
// lower case.
func (p *Prompt) Mentions(search string) bool {
	all := strings.ToLower(strings.Join(append([]string{p.Key, p.Label, p.Category, p.Text}, p.Tags...), "\n"))
	for _, word := range strings.Fields(strings.ToLower(search)) {
		if !strings.Contains(all, word) {
			return false
		}
	}
	return true
}

func read(file string) ([]Prompt, error) {
	text, err := plainfile.Read(file, plainfile.Text)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, core.Errorf(core.ConfigInvalid, "%s: %w", file, err)
	}
	return parse(file, string(text))
}
