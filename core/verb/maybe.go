package verb

// MaybeInt is a whole number that is not always known. Below 0 it is not, and absent where its field says omitzero.
type MaybeInt int

// IsZero reports whether the number is not known.
func (n MaybeInt) IsZero() bool { return n < 0 }

// MaybeNumber is as MaybeInt, with a fraction.
type MaybeNumber float64

// IsZero reports whether the number is not known.
func (n MaybeNumber) IsZero() bool { return n < 0 }
