package cli

import (
	"context"

	"cupola/robot/guide"
)

// helpForRobots answers --help beside a robot flag: the description of the verb
// named, or the whole document.
func (p *program) helpForRobots(ctx context.Context) error {
	verb := corrector{p}.verb()
	if verb == nil {
		if len(p.inv.words) > 0 && p.catalog.IsPlanned(p.inv.words[0]) {
			return p.catalog.Plan(p.inv.words[0]).Missing()
		}
		if err := (tree{p}).strayError(tree{p}.root()); err != nil {
			return err
		}
		docs := p.catalog.Find("docs")
		return p.run(ctx, docs, docs.Zero(), nil)
	}
	p.status = p.face().Answer(ctx, "help", struct {
		Verb string     `json:"verb"`
		Help guide.Verb `json:"help"`
	}{verb.Name, guide.Describe(p.catalog, verb, true)})
	return nil
}
