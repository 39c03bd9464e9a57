// Package stream reads the output of a backend while it answers, and makes events of it. A Reader gets the bytes as
// they come, cut at any place, and the facts about the end; it gives events in order, the last one Done or Failed,
// and the answer with its usage.
//
// Each format is the output of one program or API. Readers are lenient: unknown events and lines that are no JSON are
// passed over, since programs change their formats with every version. The text of an answer is never lost and never
// given twice, even if a program sends it in pieces and then again as a whole.
package stream
