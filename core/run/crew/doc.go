// Package crew is several agents that work on one task and talk to each other: what a crew is, how
// its members are named and briefed, how their answers are read, and which guardrails end it.
//
// Time goes in turns. In turn 0 every member gets the task; in each later turn those that were
// written to get their messages and answer. An answer is plain text: lines that begin with
// "@name:" are messages, all others are notes (see Parse). A crew ends when no agent was written to,
// or at a guardrail.
//
// The package is pure: it starts nothing and keeps nothing. core/record/store keeps crews, and
// core/run/crew/conduct runs them.
package crew
