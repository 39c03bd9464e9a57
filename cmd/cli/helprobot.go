package cli

import (
	"context"

	"cupola/robot/guide"
)

// helpForRobots answers --help beside a robot flag: the description of the verb
// named, or the whole document.
func (p *program) helpForRobots(ctx context.Context) error {
	verb := p.inv.verb
	if verb == nil && len(p.inv.words) > 0 {
		verb = p.catalog.Find(p.inv.words[0])
	}
	if verb == nil {
		docs := p.catalog.Find("docs")
		return p.run(ctx, docs, docs.Zero(), nil)
	}
	p.status = p.face().Answer("help", struct {
		Verb string     `json:"verb"`
		Help guide.Verb `json:"help"`
	}{verb.Name, guide.Describe(verb, true)})
	return nil
}
