package wire

import (
	"errors"
	"strings"
	"testing"
)

func TestLineReaderLimitsLineLength(t *testing.T) {
	_, err := NewLineReader(endless{}).next()
	if !errors.Is(err, ErrMalformed) {
		t.Error(err)
	}
}

type endless struct{}

func (endless) Read(into []byte) (int, error) {
	for i := range into {
		into[i] = 'x'
	}
	return len(into), nil
}

func TestDecodeFirstChecksProtocolFirst(t *testing.T) {
	var w Welcome
	l := NewLineReader(strings.NewReader(`{"cupola":2,"pid":"not a number any more"}` + "\n"))
	if err := l.DecodeFirst(&w); !errors.Is(err, ErrVersion) {
		t.Errorf("%v", err)
	}
}
