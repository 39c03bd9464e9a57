package registry

// The finer names that details.parse_code of a usage error carries.
const (
	// InvalidValue is a value that its flag or argument does not take.
	InvalidValue = "INVALID_VALUE"
	// ArgumentConflict is flags that cannot all be obeyed.
	ArgumentConflict = "ARGUMENT_CONFLICT"
	// ParseError is an argument that cannot be read at all.
	ParseError = "PARSE_ERROR"
)
