package search

import (
	"cmp"
	"container/heap"
	"context"
	"hash/maphash"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent/transcript"
	"cupola/core/text/secret"
)

// ByScreen is the author of what a pane showed.
const ByScreen transcript.Who = "screen"

// Query chooses texts.
type Query struct {
	*Pattern
	// Since leaves out what is older; the zero time nothing.
	Since time.Time
	// Kinds are the kinds of the agents; nil is all.
	Kinds []core.Kind
	// Project is a folder: only what was said in it or below it counts. A word without a slash is the name of such a
	// folder. Empty is every folder.
	Project string
	// Limit is how many hits end the search; 0 finds all.
	Limit int
	// Plain leaves credentials as they are.
	Plain bool
}

// Hit is a text that holds what was searched for. What is not known is empty.
type Hit struct {
	At  time.Time      `json:"at,omitzero"`
	Who transcript.Who `json:"who"`
	// Pane is the address of the agent's pane, now or when it was said.
	Pane string    `json:"address,omitempty"`
	Kind core.Kind `json:"kind,omitempty"`
	// Conversation is the agent's own id of it.
	Conversation string `json:"session_id,omitempty"`
	// Dir is the folder in which the agent worked.
	Dir string `json:"dir,omitempty"`
	// Text is the text around what was found, in one line, with credentials masked. A source gives all of it.
	Text string `json:"text"`
	// File is where it is on record, and Offset where it begins there, in bytes.
	File   string `json:"path,omitempty"`
	Offset int64  `json:"offset"`
	// Team is true if a sub-agent's conversation holds it.
	Team bool `json:"subagent,omitempty"`
}

// Totals count what a search went through.
type Totals struct {
	Hits int `json:"hit_count"`
	// Sources are the conversations, recordings and records that were read at least in part, and Bytes how much of
	// them. Unreadable ones were left out.
	Sources    int   `json:"sources"`
	Bytes      int64 `json:"bytes"`
	Unreadable int   `json:"unreadable"`
	// Complete is false if the limit ended the search.
	Complete bool `json:"complete"`
}

// Source holds texts that are searched.
type Source struct {
	// Newest is the time of its newest unread text, or a later one.
	Newest time.Time
	// read reads the next part, and moves Newest; left is false once nothing is left.
	read func(ctx context.Context, s *Source, scan *scan) (left bool, err error)
	used bool
}

// Texts is a source of texts that the caller has: each call of next returns more of them, the newest first, and none
// once there are no more. Their Text is whole.
func Texts(newest time.Time, next func(context.Context) ([]Hit, error)) *Source {
	return &Source{Newest: newest, read: func(ctx context.Context, s *Source, scan *scan) (bool, error) {
		hits, err := next(ctx)
		for i := range hits {
			scan.totals.Bytes += int64(len(hits[i].Text))
			scan.offer(hits[i])
			s.Newest = hits[i].At
		}
		return len(hits) > 0, err
	}}
}

// scan is a search that runs.
type scan struct {
	query   *Query
	totals  Totals
	pending hits
	// buffer and low hold a part of a file, as it is and in lower case.
	buffer, low []byte
	// said has when texts were said, by author, text and conversation.
	said map[uint64]time.Time
	seed maphash.Seed
}

// Run searches sources, and emits hits, the newest first, as soon as no newer one can follow. An error of emit ends it.
func Run(ctx context.Context, sources []*Source, query Query, emit func(Hit) error) (Totals, error) {
	s := &scan{query: &query, said: map[uint64]time.Time{}, seed: maphash.MakeSeed()}
	unread := queue{}
	for _, source := range sources {
		if !source.Newest.Before(query.Since) {
			unread = append(unread, source)
		}
	}
	heap.Init(&unread)
	for {
		for len(s.pending) > 0 && (len(unread) == 0 || !s.pending[0].At.Before(unread[0].Newest)) {
			if query.Limit > 0 && s.totals.Hits == query.Limit {
				return s.totals, nil
			}
			hit, _ := heap.Pop(&s.pending).(Hit)
			if s.repeats(&hit) {
				continue
			}
			s.totals.Hits++
			if err := emit(s.shown(hit)); err != nil {
				return s.totals, err
			}
		}
		if len(unread) == 0 || query.Limit > 0 && s.totals.Hits == query.Limit {
			s.totals.Complete = len(unread) == 0 && len(s.pending) == 0
			return s.totals, nil
		}
		if err := ctx.Err(); err != nil {
			return s.totals, err
		}
		s.read(ctx, &unread)
	}
}

// read reads the next part of the source with the newest texts.
func (s *scan) read(ctx context.Context, unread *queue) {
	source, before := (*unread)[0], s.totals.Bytes
	left, err := source.read(ctx, source, s)
	switch {
	case err != nil && ctx.Err() == nil:
		s.totals.Unreadable++
		heap.Pop(unread)
		return
	case !source.used && s.totals.Bytes > before:
		source.used = true
		s.totals.Sources++
	}
	if !left || source.Newest.Before(s.query.Since) {
		heap.Pop(unread)
		return
	}
	heap.Fix(unread, 0)
}

// offer takes in a text if it is a hit. It reports whether it is one.
func (s *scan) offer(h Hit) bool {
	q := s.query
	if !q.Since.IsZero() && h.At.Before(q.Since) || q.Kinds != nil && !slices.Contains(q.Kinds, h.Kind) ||
		!inProject(h.Dir, q.Project) {
		return false
	}
	h.Text = flat(h.Text)
	if _, _, ok := q.Find(h.Text); !ok {
		return false
	}
	heap.Push(&s.pending, h)
	return true
}

// inProject reports whether a folder is a project, or in one.
func inProject(dir, project string) bool {
	switch {
	case project == "":
		return true
	case !strings.Contains(project, "/"):
		return slices.Contains(strings.Split(dir, "/"), project)
	}
	project = filepath.Clean(project)
	return dir == project || strings.HasPrefix(dir, strings.TrimSuffix(project, "/")+"/")
}

// Records of one text: some kinds write it in two forms within moments. A prompt is on record when it is sent, and in
// the agent's conversation once it was taken up.
const (
	sameMoment = 5 * time.Second
	takenUp    = 10 * time.Minute
)

// repeats reports whether a text is on record already, and remembers it.
func (s *scan) repeats(h *Hit) bool {
	within, by := sameMoment, s.key(h.Conversation, h)
	if h.Conversation == "" {
		within = takenUp
	}
	at, known := s.said[by]
	s.said[by] = h.At
	if h.Conversation != "" {
		s.said[s.key("", h)] = h.At
	}
	return known && at.Sub(h.At).Abs() <= within
}

func (s *scan) key(conversation string, h *Hit) uint64 {
	return maphash.String(s.seed, conversation+"\x00"+string(h.Who)+"\x00"+h.Text)
}

// How much of a text a hit shows, in characters, and how much of it is looked at for credentials, in bytes.
const (
	shownBefore, shownAfter = 60, 180
	maskedAround            = 4096
)

// shown cuts a hit's text to what is around what was found, without credentials.
func (s *scan) shown(h Hit) Hit {
	from, to, _ := s.query.Find(h.Text)
	start, end := max(0, from-maskedAround), min(len(h.Text), to+maskedAround)
	text := strings.ToValidUTF8(h.Text[start:end], "")
	if !s.query.Plain {
		text = secret.Mask(text)
	}
	at, behind, found := s.query.Find(text)
	if !found { // it was a part of a credential
		at = min(from-start, len(text))
		behind = at
	}
	runes := []rune(text)
	first := max(0, len([]rune(text[:at]))-shownBefore)
	last := min(len(runes), len([]rune(text[:behind]))+shownAfter)
	cut := string(runes[first:last])
	if first > 0 || start > 0 {
		cut = "…" + cut
	}
	if last < len(runes) || end < len(h.Text) {
		cut += "…"
	}
	h.Text = cut
	return h
}

// hits is a heap of hits that wait, the newest first.
type hits []Hit

// Len counts them.
func (h hits) Len() int { return len(h) }

// Less compares by time; of one moment the last in a file comes first.
func (h hits) Less(i, j int) bool {
	return cmp.Or(h[j].At.Compare(h[i].At), cmp.Compare(h[j].Offset, h[i].Offset),
		cmp.Compare(h[i].File, h[j].File)) < 0
}

// Swap exchanges two.
func (h hits) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push adds one.
func (h *hits) Push(x any) {
	hit, _ := x.(Hit)
	*h = append(*h, hit)
}

// Pop takes the last one.
func (h *hits) Pop() any {
	last := len(*h) - 1
	hit := (*h)[last]
	*h = (*h)[:last]
	return hit
}

// queue is a heap of the sources with unread parts, the newest first.
type queue []*Source

// Len counts them.
func (q queue) Len() int { return len(q) }

// Less compares by the newest text.
func (q queue) Less(i, j int) bool { return q[i].Newest.After(q[j].Newest) }

// Swap exchanges two.
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push adds one.
func (q *queue) Push(x any) {
	source, _ := x.(*Source)
	*q = append(*q, source)
}

// Pop takes the last one.
func (q *queue) Pop() any {
	last := len(*q) - 1
	source := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	return source
}
