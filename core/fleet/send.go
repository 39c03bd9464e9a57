package fleet

import (
	"context"

	"cupola/core"
)

// Send delivers a prompt to panes.
func (f *Fleet) Send(ctx context.Context, request SendRequest) (Sent, error) {
	return Sent{}, translate("send", core.Errorf(core.NotImplemented, "prompts are not delivered yet"))
}
