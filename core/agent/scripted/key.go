package scripted

// keyKind says what a key means to the program.
type keyKind int

const (
	keyText keyKind = iota // typed text, in key.text
	keyPaste
	keyEnter
	keyNewline
	keyBackspace
	keyEsc
	keyUp
	keyDown
	keyKillLine
	keyStop
)

// key is one act at the keyboard. Text is as the terminal sent it; it may hold
// bytes that are no UTF-8.
type key struct {
	kind keyKind
	text string
}

// controls are the control bytes that mean something; all others are ignored.
var controls = map[byte]key{
	'\r': {kind: keyEnter},
	'\n': {kind: keyNewline},
	'\t': {kind: keyText, text: "\t"},
	0x03: {kind: keyStop},
	0x08: {kind: keyBackspace},
	0x15: {kind: keyKillLine},
	0x7f: {kind: keyBackspace},
}

// finals are the last bytes of the cursor key sequences.
var finals = map[byte]key{
	'A': {kind: keyUp},
	'B': {kind: keyDown},
}
