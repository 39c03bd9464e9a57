package setup

import (
	"testing"

	"cupola/core"
	"cupola/core/verb/verbtest"
)

func TestSilentDoctorIsReported(t *testing.T) {
	_, err := verbtest.Call[doctorOut](t, Verbs, &verbtest.Server{Silent: true}, doctorIn{})
	e := core.AsError(err)
	if !e.HasCode(core.EngineBusy) || e.Error() != "the terminal server is not answering" {
		t.Fatalf("doctor: %+v", e)
	}
	if details, is := e.Details.(doctorOut); !is || details.Checks[0].State != checkBad || details.Checks[0].Fix != "" {
		t.Errorf("doctor says %+v", e.Details)
	}
}
