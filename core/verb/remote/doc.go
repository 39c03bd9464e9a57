// Package remote lets verbs run on other hosts: a Client makes a verb that runs on another host, or on several, of
// one that runs here. The host describes the tables and texts, and they are drawn here.
//
// A call that does more than read has a key, and its answer is on record there under it. If the link is lost, the
// client asks for the same key again, and gets that answer: nothing is done twice.
package remote
