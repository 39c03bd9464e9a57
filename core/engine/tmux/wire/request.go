package wire

import (
	"fmt"
	"strings"
)

// MaxArgv is the size that the arguments of one call may have, in bytes, with
// one added for each argument.
const MaxArgv = maxBody - 4

// encodeRequest encodes one call: the client, its working directory and the command.
// It checks everything that varies; the rest is constant.
func encodeRequest(argv []string, cwd string, pid int) ([]byte, error) {
	size, err := checkArgv(argv)
	if err != nil {
		return nil, err
	}
	if err := checkCWD(cwd); err != nil {
		return nil, err
	}
	b := make([]byte, 0, 9*headerSize+64+len(cwd)+size)
	b = appendMessage(b, msgIdentifyLongFlags, order.AppendUint64(nil, clientUTF8))
	b = appendMessage(b, msgIdentifyTerm, []byte("dumb\x00"))
	b = appendMessage(b, msgIdentifyFeatures, order.AppendUint32(nil, 0))
	b = appendMessage(b, msgIdentifyTTYName, []byte{0})
	b = appendMessage(b, msgIdentifyCWD, append([]byte(cwd), 0))
	b = appendMessage(b, msgIdentifyClientPID, order.AppendUint32(nil, uint32(pid)))
	b = appendMessage(b, msgIdentifyDone, nil)
	return appendMessage(b, msgCommand, packArgv(argv, size)), nil
}

// checkArgv returns the packed size of argv.
func checkArgv(argv []string) (int, error) {
	if len(argv) == 0 {
		return 0, ErrNoCommand
	}
	size := 0
	for i, arg := range argv {
		if strings.IndexByte(arg, 0) >= 0 {
			return 0, fmt.Errorf("%w: argument %d", ErrNUL, i)
		}
		if size += len(arg) + 1; size > MaxArgv {
			return 0, fmt.Errorf("%w: more than %d bytes", ErrTooLong, MaxArgv)
		}
	}
	return size, nil
}

func checkCWD(cwd string) error {
	switch {
	case strings.IndexByte(cwd, 0) >= 0:
		return fmt.Errorf("%w: working directory", ErrNUL)
	case len(cwd) >= maxBody:
		return fmt.Errorf("%w: working directory of %d bytes", ErrTooLong, len(cwd))
	}
	return nil
}

// packArgv returns the count of the arguments and each with a NUL behind it.
func packArgv(argv []string, size int) []byte {
	b := make([]byte, 0, 4+size)
	b = order.AppendUint32(b, uint32(len(argv)))
	for _, arg := range argv {
		b = append(b, arg...)
		b = append(b, 0)
	}
	return b
}

// fileStatus is the answer to a server that wants a file: the stream it named
// and zero or the error number of having opened it.
func fileStatus(k kind, stream, errno uint32) []byte {
	body := order.AppendUint32(make([]byte, 0, 8), stream)
	return appendMessage(make([]byte, 0, headerSize+8), k, order.AppendUint32(body, errno))
}
