// Package observe makes snapshots: every session and pane of an engine, with the agent that each
// pane holds and the state that package detect judges it to be in. It collects the facts for
// that (processes, screens, hook reports, the agents' own files), and reads only what changed
// since the last snapshot. An Observer starts no goroutine that outlives a call.
package observe
