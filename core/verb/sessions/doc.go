// Package sessions declares the verbs that start, rename, restart and end sessions and agents, and those of the
// worktrees of agents.
package sessions
