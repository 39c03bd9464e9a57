// Package enginetest holds the contract of engine.Engine as a test suite, and
// what tests need to run terminal servers of their own: a private tmux server
// that leaves nothing behind, and waiting for a condition.
package enginetest
