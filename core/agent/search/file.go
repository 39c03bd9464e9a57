package search

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/agent/transcript"
	"cupola/core/system/plainfile"
	"cupola/core/text/secret"
)

// Sizes of what is read of a file at once, in bytes: usually, and if a line is longer. A longer line is left out.
const (
	usualPart = 1 << 20
	mostPart  = 64 << 20
)

// Conversations are the sources for what agents record on this machine, in the folders that an environment names. Kinds
// are the kinds of agents; nil is all. A database that cannot be read is left out, and counted.
func Conversations(ctx context.Context, env func(name string) string, kinds []core.Kind) (
	all []*Source, unreadable int,
) {
	files := transcript.Files(env)
	for i := range files {
		file := &files[i]
		switch {
		case kinds != nil && !slices.Contains(kinds, file.Kind):
		case file.IsDatabase():
			inside, err := file.Conversations(ctx)
			if err != nil {
				unreadable++
			}
			for _, c := range inside {
				all = append(all, &Source{Newest: c.Grown, read: databaseReader(file, c.Head)})
			}
		case file.IsDocument():
			all = append(all, &Source{Newest: file.Modified, read: documentReader(file)})
		default:
			r := &lineReader{path: file.Path, end: file.Size, modified: file.Modified, at: timestampIn}
			r.texts = conversationTexts(file)
			all = append(all, &Source{Newest: file.Modified, read: r.read})
		}
	}
	return all, unreadable
}

// lineReader reads a file of lines from its end.
type lineReader struct {
	path string
	// end is where the unread part ends.
	end      int64
	modified time.Time
	// at returns when a line was written; the zero time if it does not say so.
	at func(line []byte) time.Time
	// texts returns the texts of a line.
	texts func(line []byte) []Hit
}

// read reads the part before the end, and offers the newest of its texts first.
func (r *lineReader) read(_ context.Context, s *Source, scan *scan) (left bool, err error) {
	lines, from, err := scan.linesBefore(r.path, r.end)
	if err != nil {
		return false, err
	}
	type place struct{ from, to int }
	var places []place
	low := scan.lowered(lines)
	scan.query.lines(low, func(from, to int) { places = append(places, place{from, to}) })
	for _, p := range slices.Backward(places) {
		for _, hit := range r.texts(lines[p.from:p.to]) {
			hit.At = cmp.Or(hit.At, r.modified)
			hit.File, hit.Offset = r.path, from+int64(p.from)
			if scan.offer(hit) { // one hit a line
				break
			}
		}
	}
	if at := firstTime(lines, r.at); !at.IsZero() && at.Before(s.Newest) {
		s.Newest = at
	}
	r.end = from
	return from > 0, nil
}

// linesBefore returns the whole lines of a file before a position, as many as are read at once, and where they begin.
// They are valid until the next call.
func (s *scan) linesBefore(path string, end int64) (lines []byte, from int64, err error) {
	file, err := plainfile.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer file.Close()
	for part := int64(usualPart); ; part *= 4 {
		from = max(0, end-part)
		if int64(cap(s.buffer)) < end-from {
			s.buffer = make([]byte, end-from)
		}
		n, err := file.ReadAt(s.buffer[:end-from], from)
		if err != nil && !errors.Is(err, io.EOF) { // one that became shorter is read as far as it goes
			return nil, 0, err
		}
		s.totals.Bytes += int64(n)
		lines = s.buffer[:n]
		if from == 0 {
			return lines, 0, nil
		}
		// The last byte ends the line before the position, so that a line end there is none in between.
		if at := bytes.IndexByte(lines, '\n'); at >= 0 && at+1 < len(lines) {
			return lines[at+1:], from + int64(at+1), nil
		}
		if part >= mostPart {
			return nil, from, nil
		}
	}
}

// lowered returns a text in lower case, valid until the next call.
func (s *scan) lowered(text []byte) []byte {
	if cap(s.low) < len(text) {
		s.low = make([]byte, max(len(text), usualPart))
	}
	low := s.low[:len(text)]
	lowerASCII(low, text)
	return low
}

// firstTime is the time of the first of some lines that says one, among the first few.
func firstTime(lines []byte, at func(line []byte) time.Time) time.Time {
	const few = 20
	for range few {
		line, rest, more := bytes.Cut(lines, []byte("\n"))
		if when := at(line); !when.IsZero() {
			return when
		}
		if !more {
			break
		}
		lines = rest
	}
	return time.Time{}
}

// timestampIn reads the time of a line of a conversation. Quotes within its texts are escaped.
func timestampIn(line []byte) time.Time {
	_, after, found := bytes.Cut(line, []byte(`"timestamp":`))
	if !found {
		return time.Time{}
	}
	after = bytes.TrimLeft(after[:min(len(after), 48)], " ")
	if len(after) == 0 || after[0] != '"' {
		return time.Time{}
	}
	text, _, _ := bytes.Cut(after[1:], []byte(`"`))
	at, err := time.Parse(time.RFC3339Nano, string(text))
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}

// conversationTexts returns what reads the texts of a line of a conversation, those of people and agents first.
func conversationTexts(file *transcript.File) func(line []byte) []Hit {
	var head *transcript.Head
	return func(line []byte) []Hit {
		if head == nil {
			first := file.Head()
			head = &first
		}
		return hitsOf(transcript.Says(line, ""), file.Kind, *head)
	}
}

// hitsOf are the texts of a part of a conversation, those of tools last.
func hitsOf(says transcript.Saying, kind core.Kind, head transcript.Head) []Hit {
	found := make([]Hit, 0, len(says.Said))
	of := Hit{Kind: kind, Conversation: head.Session, Dir: cmp.Or(head.Dir, says.Dir), Team: head.Spawned}
	if of.Conversation == "" || head.Spawned && says.Session != "" { // that of the agent which started it
		of.Conversation = says.Session
	}
	for _, said := range says.Said {
		hit := of
		hit.At, hit.Who, hit.Text = said.At, said.Who, said.Text
		found = append(found, hit)
	}
	byTool := func(h Hit) int {
		if h.Who == transcript.ByTool {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(found, func(a, b Hit) int { return byTool(a) - byTool(b) })
	return found
}

// Passage is a part of a conversation.
type Passage struct {
	// Said are its texts, in their order, with credentials masked.
	Said []transcript.Said
	// At is the number of the text that was found; -1 if it is not there any more.
	At int
}

// How much of a conversation a passage shows around a hit, in bytes of a file, and in parts of a database.
const (
	passageBytes = 256 << 10
	passageParts = 200
)

// Around reads what was said before and after a hit; the hit alone if no file holds it.
func Around(ctx context.Context, hit *Hit, plain bool) (Passage, error) {
	file := transcript.File{Kind: hit.Kind, Path: hit.File}
	var p Passage
	var err error
	switch {
	case hit.File == "" || hit.Who == ByScreen:
		p.Said = []transcript.Said{{Who: hit.Who, Text: hit.Text, At: hit.At}}
	case file.IsDatabase():
		p, err = aroundTime(ctx, &file, hit)
	case file.IsDocument():
		var text []byte
		text, err = plainfile.Read(hit.File, mostPart)
		p.Said = transcript.Says(text, "").Said
		p.At = slices.IndexFunc(p.Said, func(s transcript.Said) bool { return s.At.Equal(hit.At) && s.Who == hit.Who })
	default:
		p, err = aroundOffset(hit)
	}
	for i := range p.Said {
		if !plain {
			p.Said[i].Text = secret.Mask(p.Said[i].Text)
		}
	}
	return p, err
}

// aroundOffset reads the lines around that of a hit.
func aroundOffset(hit *Hit) (Passage, error) {
	file, err := plainfile.Open(hit.File)
	if err != nil {
		return Passage{}, err
	}
	defer file.Close()
	from := max(0, hit.Offset-passageBytes)
	text, err := io.ReadAll(io.NewSectionReader(file, from, 2*passageBytes))
	if err != nil {
		return Passage{}, err
	}
	p := Passage{At: -1}
	for line := range bytes.Lines(text) {
		said := transcript.Says(line, "").Said
		if from == hit.Offset && len(said) > 0 {
			by := slices.IndexFunc(said, func(s transcript.Said) bool { return s.Who == hit.Who })
			p.At = len(p.Said) + max(0, by)
		}
		p.Said = append(p.Said, said...)
		from += int64(len(line))
	}
	return p, nil
}

// aroundTime reads the parts of a database around that of a hit.
func aroundTime(ctx context.Context, file *transcript.File, hit *Hit) (Passage, error) {
	p := Passage{At: -1}
	err := file.Parts(ctx, hit.Conversation, func(role string, at time.Time, part []byte) bool {
		said := transcript.Says(part, role).Said
		for i := range said {
			said[i].At = at
		}
		if p.At < 0 && at.Equal(hit.At) && len(said) > 0 {
			p.Said = p.Said[max(0, len(p.Said)-passageParts):]
			p.At = len(p.Said)
		}
		p.Said = append(p.Said, said...)
		return p.At < 0 || len(p.Said)-p.At < passageParts
	})
	slices.Reverse(p.Said)
	if p.At >= 0 {
		p.At = len(p.Said) - 1 - p.At
	}
	return p, err
}

// documentReader reads a conversation that is one JSON document.
func documentReader(file *transcript.File) func(context.Context, *Source, *scan) (bool, error) {
	return func(_ context.Context, _ *Source, scan *scan) (bool, error) {
		text, err := plainfile.Read(file.Path, mostPart)
		if err != nil {
			return false, err
		}
		scan.totals.Bytes += int64(len(text))
		if !scan.query.may(scan.lowered(text)) {
			return false, nil
		}
		for _, hit := range hitsOf(transcript.Says(text, ""), file.Kind, file.Head()) {
			hit.At, hit.File = cmp.Or(hit.At, file.Modified), file.Path
			scan.offer(hit)
		}
		return false, nil
	}
}

// databaseReader reads a conversation of a database.
func databaseReader(file *transcript.File, head transcript.Head) func(context.Context, *Source, *scan) (bool, error) {
	return func(ctx context.Context, s *Source, scan *scan) (bool, error) {
		err := file.Parts(ctx, head.Session, func(role string, at time.Time, part []byte) bool {
			scan.totals.Bytes += int64(len(part))
			if at.Before(scan.query.Since) {
				return false
			}
			if !scan.query.may(scan.lowered(part)) {
				return true
			}
			for _, hit := range hitsOf(transcript.Says(part, role), file.Kind, head) {
				hit.At, hit.File = at, file.Path
				if scan.offer(hit) {
					break
				}
			}
			return true
		})
		return false, err
	}
}
