package verb

import (
	"fmt"

	"cupola/core"
)

// ErrNoRevision returns the error of a revision that was asked about and has not come yet.
func ErrNoRevision(revision core.Revision) error {
	return &core.Error{
		Code: core.InvalidInput, Message: fmt.Sprintf("--since: no revision from %d on is on record", revision),
		Hint: "See the newest with 'cupola snapshot', or give a time such as 1h to a verb that takes one.",
	}
}
