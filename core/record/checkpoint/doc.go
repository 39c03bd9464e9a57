// Package checkpoint keeps records of sessions: what ran in them and how it was
// started, what it showed, what was sent, and what had changed in the trees that
// they worked in. Each is a folder:
//
//	checkpoint.json   the record; without it the folder is none
//	prompts.jsonl     the prompts that were sent, the oldest first
//	panes/N.txt       what pane N showed, N.ansi with colours
//	trees/N.patch     what had changed in a tree, as git apply takes it
//
// A folder appears whole or not at all, is for the user alone, and is never
// written again. The package knows no terminal; it changes no trees except those that
// it applies a patch to. Errors are *core.Error.
package checkpoint
