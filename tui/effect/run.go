package effect

import (
	"context"
	"fmt"
	"strings"

	shown "cupola/tui/screen/runs"
)

// Runs lists the runs of all kinds that a question asks for. It is called when runs have changed, also while they
// are not shown.
type Runs func(ctx context.Context, asked shown.SomeQuestion) (shown.List, error)

// readers answer what is asked for lists of runs: for that of all once it is another, for those of a kind or a project
// at once.
func (r Runs) readers() []Reader {
	if r == nil {
		return nil
	}
	all := watch(func(ctx context.Context, _ shown.ListQuestion) (shown.List, error) {
		return r(ctx, shown.SomeQuestion{})
	}, identifyRuns)
	return []Reader{all, Read(r)}
}

// identifyRuns returns the text by which two lists of runs are compared.
func identifyRuns(all shown.List, err error) string {
	var b strings.Builder
	fmt.Fprint(&b, "list ", all.Total, err)
	for i := range all.Runs {
		fmt.Fprintf(&b, " %v", &all.Runs[i])
	}
	return b.String()
}
