// Package budget compares spending with ceilings: of a session, of a day and of the whole
// fleet, in USD or in tokens. A ceiling has the state warning from 80 % on, reached at 100
// % and exceeded above. Each of these shares is recorded when it is passed, so that it is
// reported once.
//
// A session's ceiling counts what its agents used, by its name. Those of a day (UTC)
// and of the fleet count every agent on this machine, Cupola's or not. Tokens
// without a known price cost nothing here; a Spend says how many there are.
package budget
