package widget

import (
	"hash/maphash"
	"strings"
)

// generation is how many lines a cache stores before it drops those that were not looked up
// meanwhile.
const generation = 4096

// Cache keeps captured lines as they were drawn, so that only lines that changed are
// drawn again. It holds some thousands of lines at most. It is not safe for concurrent
// use. A nil cache keeps nothing.
type Cache struct {
	seed          maphash.Seed
	now, previous map[lineKey]cachedLine
	pens          map[pen]int
	space         parsedLine
	out           []byte
}

// NewCache returns an empty cache.
func NewCache() *Cache {
	return &Cache{seed: maphash.MakeSeed(), now: map[lineKey]cachedLine{}, pens: map[pen]int{}}
}

type lineKey struct {
	hash  uint64
	bytes int
	begin int // of pens, as a key without interfaces is hashed faster
	crop  crop
}

type cachedLine struct {
	text string
	end  pen
}

// line draws a captured line that begins with a pen.
func (c *Cache) line(text string, begin pen, s crop) cachedLine {
	return c.lookup(text, begin, s, c.draw)
}

// carry returns the pen after a line that is not shown.
func (c *Cache) carry(text string, begin pen) pen {
	if !strings.ContainsAny(text, penControls) {
		return begin
	}
	return c.lookup(text, begin, skipped, func(text string, begin pen, _ crop) cachedLine {
		return cachedLine{end: carry(text, begin)}
	}).end
}

// skipped is a crop that draws nothing.
var skipped = crop{width: -1}

func (c *Cache) lookup(text string, begin pen, s crop, draw func(string, pen, crop) cachedLine) cachedLine {
	if c == nil {
		return draw(text, begin, s)
	}
	key := lineKey{hash: maphash.String(c.seed, text), bytes: len(text), begin: c.number(begin), crop: s}
	if found, ok := c.now[key]; ok {
		return found
	}
	found, ok := c.previous[key]
	if !ok {
		found = draw(text, begin, s)
	}
	if len(c.now) >= generation {
		c.now, c.previous = make(map[lineKey]cachedLine, generation), c.now
	}
	c.now[key] = found
	return found
}

// number returns the number of a pen, 0 for a plain one.
func (c *Cache) number(p pen) int {
	if p == (pen{}) {
		return 0
	}
	n, ok := c.pens[p]
	if !ok {
		if len(c.pens) >= generation {
			clear(c.pens)
			clear(c.now)
			c.previous = nil
		}
		n = len(c.pens) + 1
		c.pens[p] = n
	}
	return n
}

func (c *Cache) draw(text string, begin pen, s crop) cachedLine {
	if c == nil {
		c = &Cache{}
	}
	c.space.parse(text, begin, s.apart)
	c.out = s.draw(c.out[:0], &c.space)
	return cachedLine{text: string(c.out), end: c.space.end}
}
