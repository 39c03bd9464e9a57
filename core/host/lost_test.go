package host_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/host"
)

func TestAHostThatDidNotAnswerIsRememberedAndAskedBeside(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	asked := 0
	lost := &host.Lost{
		Dir: shortDir(t), Now: func() time.Time { return now }, Ask: func(*host.Host) { asked++ },
	}
	other := &host.Lost{Dir: lost.Dir, Now: lost.Now} // of another process
	h, _ := three().Find("gpu1")
	down := &host.Fault{Host: "gpu1", State: host.Down, Reason: "it did not answer within 10s"}
	if other.Fault(h) != nil {
		t.Fatal("a host is lost that was never asked")
	}
	for _, said := range []struct {
		took time.Duration
		err  error
	}{
		{20 * time.Millisecond, down},
		{5 * time.Second, &host.Fault{Host: "gpu1", State: host.Refused}},
		{5 * time.Second, context.Canceled},
		{5 * time.Second, nil},
	} {
		lost.Note(h, said.took, said.err)
		if other.Fault(h) != nil {
			t.Errorf("%v after %v is remembered", said.err, said.took)
		}
	}
	for _, err := range []error{down, down.AsError(), context.DeadlineExceeded} {
		lost.Note(h, 10*time.Second, err)
		fault := other.Fault(h)
		if fault == nil || fault.State != host.Down || !strings.Contains(fault.Reason, "within 10s, 1s ago") {
			t.Fatalf("after %v: %v", err, fault)
		}
	}
	if code := core.AsError(other.Err(h)).Code; code != core.NetworkError {
		t.Errorf("its code is %s", code)
	}
	lost.Fault(h)
	if asked != 0 {
		t.Error("it is asked again at once")
	}
	now = now.Add(20 * time.Second)
	lost.Fault(h)
	if fault := lost.Fault(h); asked != 1 || !strings.Contains(fault.Reason, "20s ago") {
		t.Errorf("asked %d times after 20 s: %v", asked, fault)
	}
	elsewhere := *h
	elsewhere.SSH = "dev@10.0.0.9"
	if lost.Fault(&elsewhere) != nil {
		t.Error("an entry of the same name that goes elsewhere is taken for it")
	}
	now = now.Add(time.Hour)
	if lost.Fault(h) != nil {
		t.Error("it is remembered for ever")
	}
	lost.Note(h, 10*time.Second, down)
	other.Note(h, time.Millisecond, nil)
	if lost.Fault(h) != nil {
		t.Error("another process reached it, and it is lost all the same")
	}
	var none *host.Lost
	none.Note(h, time.Minute, down)
	if none.Fault(h) != nil || (&host.Lost{}).Fault(h) != nil {
		t.Error("without a folder something is remembered")
	}
}
