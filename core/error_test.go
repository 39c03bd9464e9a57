package core_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"cupola/core"
)

func TestErrorSaysWhatIsKnown(t *testing.T) {
	for _, test := range []struct {
		err  *core.Error
		want string
	}{
		{&core.Error{Code: core.Timeout, Message: "late", Err: fs.ErrNotExist}, "late"},
		{&core.Error{Code: core.Timeout, Err: fs.ErrNotExist}, "file does not exist"},
		{&core.Error{Code: core.Timeout}, "Operation timed out"},
		{core.Errorf(core.IOError, "read %s: %w", "x", fs.ErrNotExist), "read x: file does not exist"},
	} {
		if got := test.err.Error(); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

func TestErrorKeepsItsCause(t *testing.T) {
	if err := core.Errorf(core.IOError, "read: %w", fs.ErrNotExist); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the cause of a formatted error is lost")
	}
	if cause := core.Errorf(core.IOError, "read").Unwrap(); cause != nil {
		t.Errorf("a cause out of nothing: %v", cause)
	}
}

func TestAsErrorFindsOrMakesACodedError(t *testing.T) {
	coded := core.Errorf(core.Timeout, "late")
	if got := core.AsError(fmt.Errorf("send: %w", coded)); got != coded {
		t.Errorf("got %v", got)
	}
	if got := core.AsError(fs.ErrNotExist); got.Code != core.InternalError || !errors.Is(got, fs.ErrNotExist) ||
		got.Error() != fs.ErrNotExist.Error() {
		t.Errorf("got %v", got)
	}
	if got := core.AsError(nil); got != nil {
		t.Errorf("got %v", got)
	}
	var none *core.Error
	if got := core.AsError(none); got == nil || got.Code != core.InternalError || got.Error() != "unknown error" {
		t.Errorf("a nil pointer in an error became %v", got)
	}
}

func TestAnErrorHasNoCodeButItsOwn(t *testing.T) {
	late := core.Errorf(core.Timeout, "late")
	if !late.HasCode(core.Timeout) || late.HasCode(core.Cancelled) || (*core.Error)(nil).HasCode("") {
		t.Errorf("%v has other codes than %s", late, late.Code)
	}
}
