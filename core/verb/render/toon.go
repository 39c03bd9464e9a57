package render

import (
	"fmt"
	"io"
)

// TOON writes v in Token-Oriented Object Notation, specification 4.0. It writes once, without
// a newline at the end; the empty object is the empty document. v may be any value that encoding/json can encode.
//
// Numbers are exact: they are written with all their digits, without an exponent between 1e-6 and 1e21 and with one
// ("1e-7", "1.5e+21") beyond. Rows of a table have their members in the order of the first row.
//
// On [ErrDepth], [ErrSize] or an error of encoding/json nothing is written.
func TOON(w io.Writer, v any) error {
	model, err := Value(v)
	if err != nil {
		return err
	}
	var e toonEncoder
	e.root(model)
	if e.full || len(e.out) > MaxBytes {
		return fmt.Errorf("encode toon: %w", ErrSize)
	}
	_, err = w.Write(e.out)
	return err
}
