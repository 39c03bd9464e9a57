// Package story reads lists of tasks, as OpenSpec changes and plain Markdown files have them, as stories that an agent
// can work on one at a time; ticks tasks in them; and says what is on record of a run that works through them. It reads
// and writes files, and starts nothing: package loop runs stories, package agentsession is for the agents inside.
//
// A tick changes the mark of one task and no other byte of its file. A program that changes it takes its lock first,
// which all processes of one user share; readers take none.
package story
