// Package chat shows one conversation with an agent that speaks the Agent Client Protocol: what was said, tool calls,
// the plan, requests for permission, and a composer. It is plain state: Take gets the events of the conversation, Press
// the keys, and Draw fits its rectangle. It acts through an interface and never blocks.
package chat
