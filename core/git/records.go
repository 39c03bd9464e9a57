package git

import (
	"bytes"
	"context"
	"fmt"
)

// longestRecord is how much of one record of git's answer is kept, in bytes.
const longestRecord = 64 << 10

// Bound is the number of changes of an answer that are kept. The zero value keeps all. The others are counted.
type Bound struct {
	// Wants excludes changes, which are not counted either; nil excludes none.
	Wants func(*Change) bool
	// Most is how many changes are kept, a tenth of them of one commit; zero is all.
	Most int
	// Always keeps changes beyond Most; nil keeps none.
	Always func(*Change) bool

	kept int
}

// keep adds a change to a list of changes, or to the number of those that were left out.
func (b *Bound) keep(list *[]Change, left *int, most int, change Change) {
	switch {
	case b.Wants != nil && !b.Wants(&change):
		return
	case b.Most > 0 && (b.kept >= b.Most || len(*list) >= most) && (b.Always == nil || !b.Always(&change)):
		*left++
		return
	}
	b.kept++
	*list = append(*list, change)
}

// records passes on git's output record by record, each without its NUL. It holds one of them.
type records struct {
	record  func(record string)
	partial []byte
	// limit is how many bytes are taken; zero is no limit. It is over once there were more.
	size, limit int
	over        bool
}

// Write never fails, so that output beyond the limit does not stop git.
func (r *records) Write(text []byte) (int, error) {
	n := len(text)
	if r.size += n; r.limit > 0 && r.size > r.limit {
		r.over = true
		return n, nil
	}
	for {
		part, rest, ends := bytes.Cut(text, []byte{0})
		r.partial = append(r.partial, part[:min(len(part), longestRecord-len(r.partial))]...)
		if !ends {
			return n, nil
		}
		r.record(string(r.partial))
		r.partial, text = r.partial[:0], rest
	}
}

// records runs git and passes on the records that it prints. It returns the errors of Output; where the caller keeps a
// bounded number of records, never ErrTooMuch.
func (c *Command) records(ctx context.Context, bounded bool, record func(record string), args ...string) error {
	out := &records{record: record, limit: most}
	if bounded {
		out.limit = 0
	}
	if err := c.Run(ctx, out, args...); err != nil {
		return err
	}
	if out.over {
		return fmt.Errorf("git %s in %s: %w", args[0], c.Dir, errTooMuch)
	}
	if len(out.partial) > 0 {
		record(string(out.partial))
	}
	return nil
}
