// Package render turns one value into many encodings: whatever a verb answered goes in, and JSON, TOON and the other
// robot formats come out. It knows nothing of verbs or terminals; it reads no clock, keeps no state between calls and
// starts no goroutine.
//
// The encodings share one document model, which [Value] makes of anything that encoding/json can encode. It keeps the
// order of an object's members and the text of its numbers, so that no format loses what another shows. It is also
// where times become RFC 3339 UTC in whole seconds, and nil lists empty ones, so that no verb does. Values larger or
// deeper than [MaxBytes] and [MaxDepth] are refused with [ErrSize] and [ErrDepth] before anything is written.
package render
