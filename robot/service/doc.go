// Package service answers the clients of a server with verbs. A call gives the answer of the command line, as the same
// document, but for what a server adds: which effects a verb may have, to which sessions clients are confined, and
// credentials that are masked.
//
// It knows no protocol. robot/mcp and robot/http translate theirs into calls, and both derive what they say of a verb's
// input from Schema.
package service
