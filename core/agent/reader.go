package agent

// reader reads the screens of a kind.
type reader struct {
	// composer is nil where the kind has none.
	composer *composerSpec
	// rules are in the order in which they are asked.
	rules []scopedRule
	// failures are the rules that are tried where no other rule matches the failure.
	failures []scopedRule
	extents  int // how many there are
	// versioned is true if some rules are for some versions only.
	versioned bool
}

// scopedRule is a Rule with the part of a screen that it looks at.
type scopedRule struct {
	*Rule
	extent *extent
}

// rulebook returns the reader of the kind's screens, made on first use.
func (k *Kind) rulebook() *reader {
	k.compile.Do(func() { k.reader = newReader(k.screenRules(), k.Readable()) })
	return k.reader
}

func newReader(screen *screenSpec, readable bool) *reader {
	r := &reader{rules: make([]scopedRule, 0, len(screen.rules))}
	if readable {
		r.composer = &screen.composer
	}
	for _, rule := range screen.rules {
		if rule.Off {
			continue
		}
		r.versioned = r.versioned || rule.Versions != ""
		scoped := scopedRule{rule, r.extent(rule)}
		if rule.Failure != "" {
			r.failures = append(r.failures, scoped)
		} else {
			r.rules = append(r.rules, scoped)
		}
	}
	return r
}
