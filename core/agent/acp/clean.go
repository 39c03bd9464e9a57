package acp

import (
	"strings"

	"cupola/core/agent/acp/rpc"
	"cupola/core/term/cells"
)

// The bounds of foreign fields: texts in bytes, lists in items.
const (
	maxName    = 2 << 10
	maxText    = 256 << 10
	maxContent = 64 << 10
	maxID      = 256
	maxOptions = 32
	maxList    = 500
	// maxOpen is the most tool calls that a turn may have open, and maxAsks the most requests that may wait.
	maxOpen = 1000
	maxAsks = 16
	// maxNotices is the most notices of one turn.
	maxNotices = 100
)

// block returns a text of several lines without control characters, shortened to maxContent.
func block(text string) string { return cells.Safe(rpc.Shorten(text, maxContent)) }

// id returns an identifier as it is, or nothing for one that is too long to be one.
func id(text string) string {
	if len(text) > maxID || strings.ContainsAny(text, "\x00\n\r\x1b") {
		return ""
	}
	return text
}

// firstOf returns the first items of a list.
func firstOf[T any](list []T, most int) []T { return list[:min(len(list), most)] }
