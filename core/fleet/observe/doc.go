// Package observe makes snapshots: every session and pane of an engine, with the agent that each
// pane holds and the state that package detect judges it to be in. It gathers the facts for that
// (processes, screens, what hooks reported, the agents' own files) and reads again only what
// changed. An Observer starts no goroutine that outlives a call.
package observe
