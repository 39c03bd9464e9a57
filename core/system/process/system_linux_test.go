package process_test

import (
	"testing"

	"cupola/core/system/process"
)

func TestTheSystemTellsHowBusyItIs(t *testing.T) {
	if load := process.Load(); load < 0 {
		t.Errorf("load %f", load)
	}
	if free := process.FreeMemory(); free < 1<<20 {
		t.Errorf("%d bytes are free", free)
	}
}
