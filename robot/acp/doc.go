// Package acp offers a fleet to an editor as one agent of the Agent Client Protocol, version 1, over standard input and
// output. A session of the editor is a view of the fleet: its mode says who gets its prompts, its plan says who does
// what, and its slash commands are verbs.
//
// All that it does are calls of verbs through robot/service, so that the permission of the client holds for each. What
// agents ask comes up as requests for permission, with the agent that asks, and is answered for the dialog that was
// shown and no other.
package acp
