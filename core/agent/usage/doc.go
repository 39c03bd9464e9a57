// Package usage counts what agents have used, from the transcripts that they keep
// themselves: tokens by request, what the agent says that they cost, and limits of
// providers. It estimates nothing from the length of texts.
//
// A Ledger keeps an index in the store, so that only what was appended to a transcript
// since is read. An incomplete last line is read later; a file that was truncated or
// replaced is read again. A request is often written several times, in one file and in
// copies of it: it counts once, as written last.
//
// Costs are the agent's own figure where it gives one, else that of a price table with a date, else unknown. Days are
// days of UTC, everywhere.
//
// The package knows no engine. Transcripts are opened for reading only.
package usage
