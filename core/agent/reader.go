package agent

import (
	"regexp"
	"sync"
)

// reader is what a kind's rules are compiled to.
type reader struct {
	composer *composerRules
	// rules are in the order in which they are asked.
	rules []compiled
	// failures are the rules that are asked where no other knows what failed.
	failures []compiled
	extents  int // how many there are
	// versioned is true if some rules are for some versions only.
	versioned bool
	// answers, context and turns are compiled when they are first asked for.
	answers func() map[string]*answerRules
	context func() contextRules
	turns   func() turnRules
}

// compiled is a Rule with its patterns.
type compiled struct {
	*Rule
	extent         *extent
	foot, title    *sign
	all, any, none []*sign
}

// rulebook is what the kind's screens are read by.
func (k *Kind) rulebook() *reader {
	k.compile.Do(func() { k.reader = newReader(k) })
	return k.reader
}

// newReader compiles the patterns of a kind. Load has checked a user's, and
// tests those that come with Cupola: what is wrong here is wrong in the program.
func newReader(k *Kind) *reader {
	screen := k.look()
	r := &reader{
		answers: sync.OnceValue(func() map[string]*answerRules { return compileAnswers(screen.answers) }),
		context: sync.OnceValue(screen.context.compile),
		turns:   sync.OnceValue(screen.turn.compile),
	}
	if k.Readable() {
		r.composer = screen.composer.compile()
	}
	r.rules = make([]compiled, 0, len(screen.rules))
	for _, rule := range screen.rules {
		if rule.Off {
			continue
		}
		if r.versioned = r.versioned || rule.Versions != ""; rule.Failure != "" {
			r.failures = append(r.failures, r.compile(rule))
		} else {
			r.rules = append(r.rules, r.compile(rule))
		}
	}
	return r
}

func (s *composerSpec) compile() *composerRules {
	c := &composerRules{
		spec: s, bottom: signOf(s.Bottom), top: signOf(s.Top), prompt: signOf(s.Prompt), more: signOf(s.More), mode: signOf(s.Mode),
		placeholders: signsOf(s.Placeholders), collapsed: signsOf(s.Collapsed), drawn: signsOf(s.Drawn), scrollbar: signOf(s.Scrollbar),
	}
	if s.Plain {
		plain := *c
		plain.top, plain.bottom = signOf(s.PlainTop), signOf(`^$`)
		c.plain = &plain
	}
	return c
}

func (r *reader) compile(rule *Rule) compiled {
	return compiled{
		Rule: rule, extent: r.extent(rule), foot: signOf(rule.Foot), title: signOf(rule.Title),
		all: signsOf(rule.All), any: signsOf(rule.Any), none: signsOf(rule.None),
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

func matchesAny(list []*sign, text string) bool {
	for _, re := range list {
		if re.MatchString(text) {
			return true
		}
	}
	return false
}
