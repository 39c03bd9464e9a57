package secret

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"cupola/core/config/tomlfile"
)

// gitleaksRules are the rules of gitleaks v8.30.1 as they were published (https://github.com/gitleaks/gitleaks,
// MIT; its licence is beside them).
//
//go:embed gitleaks/gitleaks.toml.gz
var gitleaksRules []byte

// tooWide are rules that need the allow lists and the entropy of gitleaks not to match ordinary text. What they are
// for is known by its name (see named).
var tooWide = []string{"generic-api-key", "kubernetes-secret-yaml", "pkcs12-file", "curl-auth-user"}

// rule finds one kind of secret. A text is matched only where it has one of the words, in lower case.
type rule struct {
	words []string
	// expr is compiled when it is first needed. Its group with the number is the secret; 0 is the first one that
	// matched, or the whole match without any.
	expr  func() *regexp.Regexp
	group int
	// whole matches the whole text, not the line that has the word.
	whole bool
	// prefix is the text before the secret, least the secret's least length; expr is then nil.
	prefix string
	least  int
	// random matches only what looks random.
	random bool
}

func newRule(expr string, words ...string) *rule {
	return &rule{words: words, expr: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })}
}

// rules are all, with what finds their words.
var rules = sync.OnceValue(func() *ruleSet {
	set := &ruleSet{all: ownRules()}
	var published struct {
		Rules []struct {
			ID, Regex, Path string
			Keywords        []string
			SecretGroup     int
		}
	}
	packed, err := gzip.NewReader(bytes.NewReader(gitleaksRules))
	if err == nil {
		var text []byte
		if text, err = io.ReadAll(packed); err == nil {
			_, err = tomlfile.Parse(string(text), &published)
		}
	}
	if err != nil {
		panic("secret: " + err.Error()) // a test reads all of them
	}
	for _, r := range published.Rules {
		if r.Regex == "" || r.Path != "" || slices.Contains(tooWide, r.ID) {
			continue
		}
		one := newRule(r.Regex, r.Keywords...)
		one.group, one.whole = r.SecretGroup, r.ID == "private-key"
		set.all = append(set.all, one)
	}
	set.finder = newFinder(set.all)
	return set
})

type ruleSet struct {
	all    []*rule
	finder *finder
}

// mostLine bounds how much of a line around a word is matched, in bytes.
const mostLine = 4096

// matches returns what rules find in a text.
func matches(text string) []span {
	set := rules()
	var spans []span
	hits := set.finder.find(text)
	if hits == nil {
		return nil
	}
	for _, n := range slices.Sorted(maps.Keys(hits)) {
		r, end := set.all[n], -1
		for _, at := range hits[n] {
			if r.prefix != "" {
				if s, ok := r.behind(text, at); ok {
					spans = append(spans, s)
				}
				continue
			}
			if at < end {
				continue
			}
			from, to := 0, len(text)
			if !r.whole {
				from, to = lineAround(text, at)
			}
			end = to
			for _, m := range r.expr().FindAllStringSubmatchIndex(text[from:to], -1) {
				a, b := r.secretOf(m)
				if b > a && (!r.random || isRandom(text[from+a:from+b])) {
					spans = append(spans, span{from + a, from + b})
				}
			}
		}
	}
	return spans
}

// secretOf is the part of a match that is masked.
func (r *rule) secretOf(match []int) (from, to int) {
	if r.group > 0 && 2*r.group+1 < len(match) {
		return match[2*r.group], match[2*r.group+1]
	}
	for i := 2; i+1 < len(match); i += 2 {
		if match[i] >= 0 && match[i+1] > match[i] {
			return match[i], match[i+1]
		}
	}
	return match[0], match[1]
}

// lineAround is the line that a byte is in.
func lineAround(text string, at int) (from, to int) {
	from, to = strings.LastIndexByte(text[:at], '\n')+1, len(text)
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		to = at + i
	}
	return max(from, at-mostLine), min(to, at+mostLine)
}

// finder finds many words at once, with the automaton of Aho and Corasick.
type finder struct {
	class [256]uint8
	width int
	// next is the state behind a state and a class of bytes; ends are the rules whose words end in a state.
	next []int32
	ends [][]int
}

func newFinder(all []*rule) *finder {
	f := &finder{width: 1}
	for _, r := range all {
		for _, word := range r.words {
			for _, b := range []byte(word) {
				if f.class[b] == 0 {
					f.class[b] = uint8(f.width)
					f.width++
				}
			}
		}
	}
	for b := byte('A'); b <= 'Z'; b++ {
		f.class[b] = f.class[b+'a'-'A']
	}
	grow := func() int32 {
		f.next = append(f.next, make([]int32, f.width)...)
		f.ends = append(f.ends, nil)
		return int32(len(f.ends) - 1)
	}
	grow()
	for n, r := range all {
		for _, word := range r.words {
			state := int32(0)
			for _, b := range []byte(word) {
				at := int(state)*f.width + int(f.class[b])
				if f.next[at] == 0 {
					made := grow()
					f.next[at] = made
				}
				state = f.next[at]
			}
			if !slices.Contains(f.ends[state], n) {
				f.ends[state] = append(f.ends[state], n)
			}
		}
	}
	f.link()
	return f
}

// link makes of the tree of words an automaton.
func (f *finder) link() {
	fail := make([]int32, len(f.ends))
	var queue []int32
	for c := range f.width {
		if state := f.next[c]; state != 0 {
			queue = append(queue, state)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		state := queue[0]
		f.ends[state] = append(f.ends[state], f.ends[fail[state]]...)
		for c := range f.width {
			at, back := int(state)*f.width+c, f.next[int(fail[state])*f.width+c]
			if next := f.next[at]; next != 0 {
				fail[next] = back
				queue = append(queue, next)
			} else {
				f.next[at] = back
			}
		}
	}
}

// find returns for each rule where its words end; nil if the text has no such word.
func (f *finder) find(text string) (hits map[int][]int) {
	state := int32(0)
	for i := range len(text) {
		state = f.next[int(state)*f.width+int(f.class[text[i]])]
		for _, n := range f.ends[state] {
			if hits == nil {
				hits = map[int][]int{}
			}
			hits[n] = append(hits[n], i)
		}
	}
	return hits
}
