package cli

import (
	"context"
	"strings"

	"cupola/robot/guide"
)

// helpForRobots answers --help beside a robot flag: the description of the verb
// named, or the whole document.
func (p *program) helpForRobots(ctx context.Context) error {
	verb := p.inv.verb
	for _, word := range p.inv.words {
		if verb == nil && !strings.HasPrefix(word, "-") {
			verb = p.catalog.Find(word)
		}
	}
	if verb == nil {
		docs := p.catalog.Find("docs")
		return p.run(ctx, docs, docs.Zero(), nil)
	}
	p.status = p.face().Answer(ctx, "help", struct {
		Verb string     `json:"verb"`
		Help guide.Verb `json:"help"`
	}{verb.Name, guide.Describe(p.catalog, verb, true)})
	return nil
}
