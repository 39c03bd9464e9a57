package core

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

// Error is a failure as both faces report it. Lower packages return their own sentinels,
// which fleet and the verb registry convert to an Error. The core names no flag and no
// command in an error: it names remedies, for which each face has its own words.
type Error struct {
	Code Code
	// Op is the operation that failed, such as "send"; it may be empty.
	Op string
	// Message is a sentence about the failure. Empty means the message of Err.
	Message string
	// Hint replaces the code's default hint where it is not empty.
	Hint string
	// Suggestions are words that were probably meant, nearest first.
	Suggestions []string
	// Slip is the typed word that the suggestions would replace; zero if they replace none.
	Slip Slip
	// Remedies help against this failure, if more is known than the code shows.
	Remedies []Remedy
	// Subject is the subject of the remedies.
	Subject Subject
	// Actions are complete command lines, which replace those of the code. The core sets
	// only command lines of other programs.
	Actions []string
	// Safer is a complete command line that does less than what was refused; empty if there is none.
	Safer string
	// Details is any further JSON-encodable value; nil where there is none.
	Details any
	Err     error
}

// Slip is the mistyped word of a call, so that callers can correct it.
type Slip struct {
	// Word is the wrong word as it was typed.
	Word string
	// Input is the name of the input whose value it is; empty if that is not known.
	Input string
	// Add is another input that the corrected call needs, as NAME or NAME=VALUE; empty if
	// it needs none.
	Add string
	// New is true if the word names what is yet to be made.
	New bool
}

// NeedsTerminal is the error of a program that was not started in a terminal. program is its name.
func NeedsTerminal(program string) *Error {
	e := Errorf(AttachFailed, "%s needs a terminal", program)
	e.Hint = "Run it in a terminal, without a pipe or a file at its input and output."
	return e
}

// Errorf returns an Error with a formatted message. A %w verb sets Err.
func Errorf(code Code, format string, args ...any) *Error {
	wrapped := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: wrapped.Error(), Err: errors.Unwrap(wrapped)}
}

// FileError returns the Error of an operation on files, such as "read the run".
func FileError(op string, err error) *Error { return Errorf(FileCode(err), "%s: %w", op, err) }

// FileCode returns the code of an error of the file system.
func FileCode(err error) Code {
	if errors.Is(err, fs.ErrPermission) {
		return PermissionDenied
	}
	return IOError
}

// Error returns the message or, where there is none, that of the cause or the
// code's meaning.
func (e *Error) Error() string {
	switch {
	case e.Message != "":
		return e.Message
	case e.Err != nil:
		return e.Err.Error()
	}
	row, _ := e.Code.Row()
	return row.Meaning
}

// HasCode reports whether the error has one of some codes; a nil error has none.
func (e *Error) HasCode(codes ...Code) bool { return e != nil && slices.Contains(codes, e.Code) }

// Unwrap returns the cause, or nil.
func (e *Error) Unwrap() error { return e.Err }

// AsError returns the *Error in err's chain. Without one it returns an InternalError with
// err as its cause; nil stays nil.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	if e, is := errors.AsType[*Error](err); is && e != nil {
		return e
	}
	return &Error{Code: InternalError, Message: message(err), Err: err}
}

// message returns err's text. It does not call a nil *Error, which would panic.
func message(err error) string {
	if e, ok := err.(*Error); ok && e == nil { //nolint:errorlint // only the error itself can be the nil pointer
		return "unknown error"
	}
	return err.Error()
}
