// Package mcp offers the verbs to agents over the Model Context Protocol, on standard input and output or over HTTP.
//
// A few tools serve tasks (cupola_status, cupola_send, ...), each for one verb or for a few that belong together;
// cupola_call calls any verb. Resources are the screens and transcripts of panes, and the docs; prompts are the saved
// ones. The effect, the permission and the answer of a call belong to robot/service.
package mcp
