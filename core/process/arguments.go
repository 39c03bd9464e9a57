package process

import (
	"bytes"
	"encoding/binary"
)

// parseArguments reads what macOS answers to kern.procargs2: the number of
// arguments, the program's path, padding, the arguments, the environment. It
// returns nil for bytes of any other form.
func parseArguments(raw []byte) []string {
	const countSize = 4
	if len(raw) < countSize {
		return nil
	}
	count := int(int32(binary.NativeEndian.Uint32(raw)))
	_, rest, found := bytes.Cut(raw[countSize:], []byte{0})
	if !found {
		return nil
	}
	rest = bytes.TrimLeft(rest, "\x00")
	var argv []string
	for len(argv) < count {
		argument, after, found := bytes.Cut(rest, []byte{0})
		if !found {
			return nil
		}
		argv, rest = append(argv, string(argument)), after
	}
	return argv
}
