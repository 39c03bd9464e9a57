// Package agent says what each agent kind is: how it is started and
// recognised, how text is typed into it, and how its screen is read.
//
// All of that is data. The kinds that come with Cupola are TOML files in kinds/, one for
// each kind. A user's files override them key by key, or add kinds. Load parses the user's
// files. go generate makes Go code of those that come with Cupola, with the literals that
// each match of a pattern must contain, so that most patterns are never compiled.
//
// The rules read the live part of a screen only: the composer, the rows that are right above and below it, and the
// dialog that takes its place. An agent's messages about dialogs, errors or spinners are in other parts, so they do not
// match. Whether the program still runs is not visible on a screen: a killed agent leaves its composer behind, and the
// caller must check the process.
//
// The package knows no engine, starts no goroutine and reads no clock. A Kind
// is safe for concurrent use.
package agent
