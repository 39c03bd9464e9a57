package render

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"cupola/core"
)

// Filter turns an answer, a value of the document model, into the text that a caller asked for instead. Apply stops
// when ctx ends.
type Filter interface {
	Apply(ctx context.Context, answer any) (string, error)
}

// asWritten keeps the text of a number.
func asWritten(number json.Number) any { return number }

// limited is text that may not grow beyond MaxBytes, nor outlive its context.
type limited struct {
	strings.Builder
	ctx context.Context //nolint:containedctx // a template writes through an interface that takes none
}

// Write appends to the text.
func (l *limited) Write(p []byte) (int, error) {
	if err := l.ctx.Err(); err != nil {
		return 0, err
	}
	if l.Len()+len(p) > MaxBytes {
		return 0, ErrSize
	}
	return l.Builder.Write(p)
}

// misread is the error of an expression that cannot be used. Offset counts bytes
// from 0 to where it stops making sense; -1 is nowhere in particular.
func misread(flag, expression string, offset int, why string) error {
	details := map[string]any{"flag": flag, "expression": expression}
	message := flag + ": " + why
	if offset >= 0 {
		before := expression[:min(offset, len(expression))]
		line := strings.Count(before, "\n") + 1
		column := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
		details["offset"], details["line"], details["column"] = offset, line, column
		message += fmt.Sprintf(" at line %d, column %d", line, column)
	}
	return &core.Error{
		Code: core.InvalidInput, Message: message, Hint: "Correct the expression; the verb was not run.",
		Details: details,
	}
}
