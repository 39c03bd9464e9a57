// Package bridge runs other people's tools and answers in a shape of our own.
// What a tool is, is data: one TOML file a tool says what it gives, how to get
// it, how each of its actions is called, within which limits, and how its
// answer is read. Files of the user override those that come with Cupola or add
// tools; no Go code knows a tool by name.
//
// A tool is started without a shell, with nothing on its standard input, in a
// process group of its own that is killed when its time is over. What it prints
// is bounded. An expression of the jq language makes the answer of it, and the
// declared fields hold that to their types. Files are decoded when they are
// first needed.
//
// The package knows no verb and no face, and starts nothing that outlives a
// call.
package bridge
