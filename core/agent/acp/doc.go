// Package acp speaks the Agent Client Protocol, version 1, as a client: an agent runs as a child, and messages of
// JSON-RPC go over its standard streams, one a line. A Client holds one conversation. It sends prompts one after
// another and gives events in order: pieces of messages, tool calls, plans, requests for permission, usage, ends of
// turns.
//
// The package knows no agent by name. What a kind of agent does differently is in Options, which come from data.
//
// Agents are trusted as little as any program whose output is read: fields are bounded and made safe to show, an
// unknown update becomes a notice, and a client whose agent dies, floods or writes half a line ends in an event that
// says so. The client offers neither files nor terminals.
package acp
