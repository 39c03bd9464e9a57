// Package resolve finds panes and sessions of a snapshot by name. Only exact names match; errors suggest near
// misses. It does not query the engine.
package resolve
