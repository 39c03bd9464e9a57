package core

import (
	"errors"
	"fmt"
)

// Error is a failure as both faces report it. The lower packages return
// sentinels of their own; fleet and the verb registry translate them into
// this, once.
type Error struct {
	Code Code
	// Op is what was being done, such as "send"; it may be empty.
	Op string
	// Message says what went wrong. Empty means the message of Err.
	Message string
	// Hint replaces the code's default hint where it is not empty.
	Hint string
	// Suggestions are words that were probably meant, nearest first.
	Suggestions []string
	// Actions are commands that run as they stand; they replace the code's own.
	Actions []string
	// Details is any further JSON-encodable value; nil where there is none.
	Details any
	Err     error
}

// Errorf returns an Error with a formatted message. A %w verb sets Err.
func Errorf(code Code, format string, args ...any) *Error {
	wrapped := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: wrapped.Error(), Err: errors.Unwrap(wrapped)}
}

// Error returns the message.
func (e *Error) Error() string {
	if e.Message == "" && e.Err != nil {
		return e.Err.Error()
	}
	return e.Message
}

// Unwrap returns the cause, or nil.
func (e *Error) Unwrap() error { return e.Err }

// AsError returns err as an *Error. What is not one already becomes an
// InternalError that keeps err as its cause; nil stays nil.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Code: InternalError, Message: err.Error(), Err: err}
}
