package wire

import "encoding/binary"

// A message is a header and a body: kind, size with header, protocol version
// and pid, four bytes each in the host's order. The upper half of the size
// holds flags, which stay zero as long as no file descriptor travels along.
const (
	protocolVersion = 8
	headerSize      = 16
	maxMessage      = 16384
	maxBody         = maxMessage - headerSize

	// noPID is in every header that tmux writes.
	noPID = 1<<32 - 1
)

// kind says what a message is.
type kind uint32

const (
	msgVersion kind = 12

	msgIdentifyTerm      kind = 101
	msgIdentifyTTYName   kind = 102
	msgIdentifyDone      kind = 106
	msgIdentifyClientPID kind = 107
	msgIdentifyCWD       kind = 108
	msgIdentifyFeatures  kind = 109
	msgIdentifyLongFlags kind = 111

	msgCommand  kind = 200
	msgExit     kind = 203
	msgShutdown kind = 210
	msgFlags    kind = 218

	msgReadOpen   kind = 300
	msgReadDone   kind = 302
	msgWriteOpen  kind = 303
	msgWrite      kind = 304
	msgWriteReady kind = 305
	msgWriteClose kind = 306
	msgReadCancel kind = 307
)

// clientUTF8 is the client flag without which tmux replaces what is not ASCII.
const clientUTF8 = 0x10000

// order is the byte order of every host on which the header is the same in all versions.
var order = binary.LittleEndian

// littleEndian reports whether this host has it.
func littleEndian() bool {
	return binary.NativeEndian.Uint16([]byte{1, 0}) == 1
}

// header is the fixed part of a message, before its body.
type header struct {
	kind    kind
	size    uint32
	version byte
}

// parseHeader reads the first headerSize bytes of b.
func parseHeader(b []byte) header {
	return header{
		kind:    kind(order.Uint32(b)),
		size:    order.Uint32(b[4:]),
		version: byte(order.Uint32(b[8:])),
	}
}

// appendMessage appends a whole message to b. The body is at most maxBody bytes.
func appendMessage(b []byte, k kind, body []byte) []byte {
	b = order.AppendUint32(b, uint32(k))
	b = order.AppendUint32(b, uint32(headerSize+len(body)))
	b = order.AppendUint32(b, protocolVersion)
	b = order.AppendUint32(b, noPID)
	return append(b, body...)
}
