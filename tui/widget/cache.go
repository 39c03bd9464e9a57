package widget

import (
	"hash/maphash"
	"strings"
)

// generation is how many lines a cache takes in before it forgets those that
// were not asked for meanwhile.
const generation = 4096

// Cache remembers how captured lines were drawn, so that only lines that changed
// are drawn again. It holds some thousands of lines at most. It is not for
// several goroutines at once. A nil cache remembers nothing.
type Cache struct {
	seed      maphash.Seed
	now, past map[lineKey]drawnLine
	space     scanned
	out       []byte
}

// NewCache returns an empty cache.
func NewCache() *Cache {
	return &Cache{seed: maphash.MakeSeed(), now: map[lineKey]drawnLine{}}
}

type lineKey struct {
	hash  uint64
	bytes int
	begin pen
	crop  crop
}

type drawnLine struct {
	text string
	end  pen
}

// line draws a captured line that begins with a pen.
func (c *Cache) line(text string, begin pen, s crop) drawnLine {
	return c.remembered(text, begin, s, c.draw)
}

// carry returns the pen after a line that is not seen.
func (c *Cache) carry(text string, begin pen) pen {
	if !strings.ContainsAny(text, penControls) {
		return begin
	}
	return c.remembered(text, begin, unseen, func(text string, begin pen, _ crop) drawnLine {
		return drawnLine{end: carry(text, begin)}
	}).end
}

// unseen is a crop that nothing is drawn with.
var unseen = crop{width: -1}

func (c *Cache) remembered(text string, begin pen, s crop, draw func(string, pen, crop) drawnLine) drawnLine {
	if c == nil {
		return draw(text, begin, s)
	}
	key := lineKey{hash: maphash.String(c.seed, text), bytes: len(text), begin: begin, crop: s}
	if found, ok := c.now[key]; ok {
		return found
	}
	found, ok := c.past[key]
	if !ok {
		found = draw(text, begin, s)
	}
	if len(c.now) >= generation {
		c.now, c.past = make(map[lineKey]drawnLine, generation), c.now
	}
	c.now[key] = found
	return found
}

func (c *Cache) draw(text string, begin pen, s crop) drawnLine {
	if c == nil {
		c = &Cache{}
	}
	c.space.scan(text, begin, s.apart)
	c.out = s.draw(c.out[:0], &c.space)
	return drawnLine{text: string(c.out), end: c.space.end}
}
