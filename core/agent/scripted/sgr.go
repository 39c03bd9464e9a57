package scripted

// The SGR sequences are the program's whole palette; the sixteen terminal
// colours only, so that it follows whatever theme it runs under.
const (
	sgrReset   = "\x1b[0m"
	sgrBold    = "\x1b[1m"
	sgrDim     = "\x1b[2m"
	sgrAccent  = "\x1b[36m"
	sgrBusy    = "\x1b[35m"
	sgrTool    = "\x1b[32m"
	sgrWaiting = "\x1b[33m"
	sgrTrouble = "\x1b[31m"
)
