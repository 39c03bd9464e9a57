package render

import (
	"errors"
	"fmt"
	"io"
)

// maxIndent is the widest level of indentation that [TOONOptions] takes.
const maxIndent = 8

// ErrTOONOptions says that [TOONOptions] hold a value that TOON does not know.
var ErrTOONOptions = errors.New("invalid TOON options")

// TOONOptions choose among the forms that the TOON specification leaves to the encoder. The zero value is its default.
type TOONOptions struct {
	// Delimiter separates values: ',' (which 0 means too), '\t' or '|'.
	Delimiter byte
	// IndentSize is the number of spaces a level, 1 to 8; 0 means 2.
	IndentSize int
	// Fill makes tables of rows that differ: a column that a row lacks is null there, and a list of words is one cell,
	// the words with blanks between them. What is read back then differs from v in that.
	Fill bool
}

// TOON writes v in Token-Oriented Object Notation, specification 4.0, with the default options. It writes once, without
// a newline at the end; the empty object is the empty document. v may be any value that encoding/json can encode.
//
// Numbers are exact: they are written with all their digits, without an exponent between 1e-6 and 1e21 and with one
// ("1e-7", "1.5e+21") beyond. Rows of a table have their members in the order of the first row.
//
// On [ErrDepth], [ErrSize] or an error of encoding/json nothing is written.
func TOON(w io.Writer, v any) error {
	return TOONWith(w, v, TOONOptions{})
}

// TOONWith is [TOON] with options. It also fails with [ErrTOONOptions].
func TOONWith(w io.Writer, v any, o TOONOptions) error {
	e, err := o.encoder()
	if err != nil {
		return err
	}
	model, err := Value(v)
	if err != nil {
		return err
	}
	if o.Fill {
		model = filled(model)
	}
	e.root(model)
	if e.full || len(e.out) > MaxBytes {
		return fmt.Errorf("encode toon: %w", ErrSize)
	}
	_, err = w.Write(e.out)
	return err
}

func (o TOONOptions) encoder() (*toonEncoder, error) {
	e := &toonEncoder{delimiter: ',', indent: 2}
	switch o.Delimiter {
	case 0, ',':
	case '\t', '|':
		e.delimiter, e.mark = o.Delimiter, string(o.Delimiter)
	default:
		return nil, fmt.Errorf("%w: delimiter %q", ErrTOONOptions, o.Delimiter)
	}
	if o.IndentSize < 0 || o.IndentSize > maxIndent {
		return nil, fmt.Errorf("%w: indent size %d", ErrTOONOptions, o.IndentSize)
	}
	if o.IndentSize > 0 {
		e.indent = o.IndentSize
	}
	return e, nil
}
