// Package kindfile writes the files of a user's own agent kinds: from nothing, from another kind, or from screens that
// were recorded of a program. It reads no file and knows no folder; package agent reads what it writes.
package kindfile
