package run

import (
	"strings"
	"time"
)

// Filter chooses runs. Its zero value chooses all.
type Filter struct {
	Kinds  []Kind
	States []State
	// Dir is a folder: runs of it, and of folders below it.
	Dir string
	// Name is the name, or the id, of a run.
	Name string
	// Since is the earliest begin, and Before the latest end. Lately chooses those that have not ended, and those that
	// ended since then.
	Since, Before, Lately time.Time
	// Limit is the most rows, 0 for all; Offset is how many of the newest are left out.
	Limit, Offset int
	// Uncounted leaves out how many there are without the limit.
	Uncounted bool
}

// from is the table and, where SQLite would choose another one that reads all runs, its index.
func (f *Filter) from() string {
	if !f.Before.IsZero() {
		return " FROM runs INDEXED BY runs_ended WHERE "
	}
	return " FROM runs WHERE "
}

// condition is the filter in SQL.
func (f *Filter) condition() (text string, args []any) {
	all := []string{"1"}
	in := func(column string, n int) {
		all = append(all, column+" IN (?"+strings.Repeat(", ?", n-1)+")")
	}
	if n := len(f.Kinds); n > 0 {
		in("kind", n)
		for _, kind := range f.Kinds {
			args = append(args, kind)
		}
	}
	if n := len(f.States); n > 0 {
		in("state", n)
		for _, state := range f.States {
			args = append(args, state)
		}
	}
	if f.Dir != "" {
		all = append(all, "(dir = ? OR dir > ? AND dir < ?)")
		below := strings.TrimSuffix(f.Dir, "/")
		args = append(args, f.Dir, below+"/", below+"0") // 0 follows the slash
	}
	if f.Name != "" {
		all = append(all, "(name = ? OR id = ?)")
		args = append(args, f.Name, f.Name)
	}
	if !f.Since.IsZero() {
		all = append(all, "started >= ?")
		args = append(args, millis(f.Since))
	}
	if !f.Lately.IsZero() {
		all = append(all, "(open = 1 OR open = 0 AND ended >= ?)")
		args = append(args, millis(f.Lately))
	}
	if !f.Before.IsZero() {
		all = append(all, "open = 0 AND ended < ?")
		args = append(args, millis(f.Before))
	}
	return strings.Join(all, " AND "), args
}
