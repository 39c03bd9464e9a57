package fleet

import (
	"context"

	"cupola/core"
)

// Interrupt asks agents to stop their turn.
func (f *Fleet) Interrupt(ctx context.Context, request InterruptRequest) ([]Interrupted, error) {
	return nil, translate("interrupt", core.Errorf(core.NotImplemented, "turns are not interrupted yet"))
}
