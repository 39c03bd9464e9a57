package process

import (
	"bytes"
	"encoding/binary"
)

// parseArguments reads what macOS answers to kern.procargs2: the number of
// arguments, the program's path, padding, the arguments, the environment. It
// returns nil for bytes of any other form. The environment ends at its first empty
// string, behind which there are strings of the system's own.
func parseArguments(raw []byte) (argv, environ []string) {
	const countSize = 4
	if len(raw) < countSize {
		return nil, nil
	}
	count := int(int32(binary.NativeEndian.Uint32(raw)))
	_, rest, found := bytes.Cut(raw[countSize:], []byte{0})
	if !found {
		return nil, nil
	}
	rest = bytes.TrimLeft(rest, "\x00")
	for len(argv) < count {
		argument, after, found := bytes.Cut(rest, []byte{0})
		if !found {
			return nil, nil
		}
		argv, rest = append(argv, string(argument)), after
	}
	for {
		pair, after, found := bytes.Cut(rest, []byte{0})
		if !found || len(pair) == 0 {
			return argv, environ
		}
		environ, rest = append(environ, string(pair)), after
	}
}
