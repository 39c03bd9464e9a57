package palette

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"

	"cupola/core/config/tomlfile"
)

// keyForm matches valid keys. They need no quotes in any shell.
var keyForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`) })

// parse reads a palette's file. Origin names it in errors, which are
// ConfigInvalid.
func parse(origin, text string) ([]Prompt, error) {
	var doc struct {
		Prompt []Prompt `toml:"prompt"`
	}
	if err := tomlfile.Decode(origin, text, &doc); err != nil {
		return nil, err
	}
	first := map[string]int{}
	for i := range doc.Prompt {
		p, line := &doc.Prompt[i], tomlfile.ElementLine(text, "prompt", i)
		if fault := p.fault(); fault != "" {
			return nil, tomlfile.Wrong(origin, line, fault)
		}
		if other, taken := first[p.Key]; taken {
			return nil, tomlfile.Wrong(origin, line,
				fmt.Sprintf("the key %q is taken by the prompt at line %d", p.Key, other))
		}
		first[p.Key] = line
		p.Origin = origin
		p.Label = cmp.Or(p.Label, p.Key)
	}
	return doc.Prompt, nil
}

// fault says what is wrong with a prompt; empty if nothing is.
func (p *Prompt) fault() string {
	switch {
	case p.Key == "":
		return "the prompt has no key"
	case !keyForm().MatchString(p.Key):
		return fmt.Sprintf("the key %q must begin with a letter or digit and hold nothing but those, dots, dashes "+
			"and underscores", p.Key)
	case strings.TrimSpace(p.Text) == "":
		return fmt.Sprintf("the prompt %q has no text", p.Key)
	}
	for _, pattern := range p.Sessions {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Sprintf("the prompt %q: %q is no pattern of session names", p.Key, pattern)
		}
	}
	return ""
}
