// Package loop works through the stories of a change: it lets one fresh agent after the other work on a story in a git
// worktree, until the story's tasks are ticked and the verification commands pass, and commits it then. What an agent
// says of its work counts for nothing.
//
// Everything that it changes is in worktrees and on branches of its own. The user's working tree is only read. A
// record of the run is saved before and after each step, and a story's commit names the run and the story, so that a
// run whose process was killed goes on where it was and commits nothing twice.
package loop
