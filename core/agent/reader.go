package agent

import (
	"regexp"
	"sort"
	"sync"
)

// reader is what a kind's rules are compiled to.
type reader struct {
	composer *composerRules
	// rules are in the order in which they are asked.
	rules   []compiled
	extents int // how many there are
	answers map[string]*answerRules
	context contextRules
}

// compiled is a Rule with its patterns.
type compiled struct {
	*Rule
	extent      *extent
	foot, title *regexp.Regexp
	all         []*regexp.Regexp
	any, none   *lazyPatterns
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
			r.rules = append(r.rules, r.compile(rule))
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
		plain.top, plain.bottom = pattern(s.PlainTop), pattern(`^$`)
		c.plain = &plain
	}
	return c
}

func (r *reader) compile(rule *Rule) compiled {
	return compiled{
		Rule: rule, extent: r.extent(rule), foot: pattern(rule.Foot), title: pattern(rule.Title),
		all: patterns(rule.All), any: &lazyPatterns{exprs: rule.Any}, none: &lazyPatterns{exprs: rule.None},
	}
}

// lazyPatterns are compiled when they are first asked for: what most screens are
// spared by the conditions before them.
type lazyPatterns struct {
	exprs []string
	once  sync.Once
	list  []*regexp.Regexp
}

func (l *lazyPatterns) get() []*regexp.Regexp {
	l.once.Do(func() { l.list = patterns(l.exprs) })
	return l.list
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
