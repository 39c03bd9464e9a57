// Package budget holds spending against ceilings: those of a session, of a day and
// of the whole fleet, in USD or in tokens. A ceiling warns at 80 % and is reached at
// 100 %; above it is exceeded. Each share that is passed is recorded, so that it is
// reported once.
//
// A session's ceiling counts what its agents used, by its name. Those of a day (UTC)
// and of the fleet count every agent on this machine, Cupola's or not. Tokens
// without a known price cost nothing here; a Spend says how many there are.
package budget
