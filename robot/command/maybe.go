package command

// maybeInt is a whole number that is not always known. Below 0 it is not, and absent where its field says omitzero.
type maybeInt int

// IsZero reports whether the number is not known.
func (n maybeInt) IsZero() bool { return n < 0 }

// maybeNumber is as maybeInt, with a fraction.
type maybeNumber float64

// IsZero reports whether the number is not known.
func (n maybeNumber) IsZero() bool { return n < 0 }
