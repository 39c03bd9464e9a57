package command

import (
	"testing"

	"cupola/core"
)

func TestSilentServerIsReported(t *testing.T) {
	_, err := call[statusOut](t, &server{silent: true}, statusIn{})
	if e := core.AsError(err); !e.HasCode(core.EngineUnavailable) ||
		e.Error() != "the terminal server is not answering" || e.Hint == "" {
		t.Errorf("status: %+v", e)
	}
	_, err = call[doctorOut](t, &server{silent: true}, doctorIn{})
	e := core.AsError(err)
	if !e.HasCode(core.EngineUnavailable) || e.Error() != "the terminal server is not answering" {
		t.Fatalf("doctor: %+v", e)
	}
	if details, is := e.Details.(doctorOut); !is || details.Checks[0].State != checkBad || details.Checks[0].Fix != "" {
		t.Errorf("doctor says %+v", e.Details)
	}
}
