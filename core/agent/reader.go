package agent

import (
	"regexp"
	"sort"
)

// reader is what a kind's rules are compiled to.
type reader struct {
	composer *composerRules
	// rules are in the order in which they are asked.
	rules   []compiled
	answers map[string]*answerRules
	context contextRules
}

// compiled is a Rule with its patterns.
type compiled struct {
	*Rule
	from, preceded, foot, title *regexp.Regexp
	all, any, none              []*regexp.Regexp
}

// newReader compiles the patterns of a kind. Load has checked a user's, and
// tests those that come with Cupola: what is wrong here is wrong in the program.
func newReader(k *Kind) *reader {
	if err := k.screen(); err != nil {
		panic(err)
	}
	r := &reader{answers: compileAnswers(k.answers), context: k.context.compile()}
	if k.Readable() {
		r.composer = k.composer.compile()
	}
	for _, rule := range k.rules {
		if !rule.Off {
			r.rules = append(r.rules, rule.compile())
		}
	}
	sort.Slice(r.rules, func(i, j int) bool {
		a, b := r.rules[i], r.rules[j]
		if a.Priority != b.Priority {
			return a.Priority > b.Priority
		}
		return a.ID < b.ID
	})
	return r
}

func (s *composerSpec) compile() *composerRules {
	c := &composerRules{
		spec: s, bottom: pattern(s.Bottom), top: pattern(s.Top), prompt: pattern(s.Prompt), more: pattern(s.More), mode: pattern(s.Mode),
		placeholders: patterns(s.Placeholders), collapsed: patterns(s.Collapsed),
	}
	if s.Plain {
		plain := *c
		plain.top, plain.bottom = nil, pattern(`^$`)
		c.plain = &plain
	}
	return c
}

func (r *Rule) compile() compiled {
	return compiled{
		Rule: r, from: pattern(r.From), preceded: pattern(r.Preceded), foot: pattern(r.Foot), title: pattern(r.Title),
		all: patterns(r.All), any: patterns(r.Any), none: patterns(r.None),
	}
}

// pattern compiles a pattern that is known to be right; an empty one is nil.
func pattern(expr string) *regexp.Regexp {
	if expr == "" {
		return nil
	}
	return regexp.MustCompile(expr)
}

func patterns(exprs []string) []*regexp.Regexp {
	list := make([]*regexp.Regexp, len(exprs))
	for i, expr := range exprs {
		list[i] = pattern(expr)
	}
	return list
}

func matchesAny(list []*regexp.Regexp, text string) bool {
	for _, re := range list {
		if re.MatchString(text) {
			return true
		}
	}
	return false
}
