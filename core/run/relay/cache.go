package relay

import "cupola/core/run"

// Cache keeps the records of a Book in memory.
type Cache = run.Cache[Record, *Record]

// Cache returns a cache of the relays, without their answers.
func (b Book) Cache() *Cache {
	return &Cache{
		Book: b.files(), Trim: (*Record).Trim,
		// One whose process was killed may still get its end.
		Final: func(record *Record) bool { return record.State.Ended() && record.State != Interrupted },
	}
}

// Source is where the records of relays are, for an index.
func (b Book) Source() run.Source { return b.files() }
