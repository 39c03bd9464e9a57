// Package remote lets verbs run on other hosts: a Client makes a verb that runs on another host, or on several, of one
// that runs here. What people see is described over there and drawn here.
//
// A call that does more than read has a key, under which its answer is on record over there. If the link is lost, the
// client asks for the same key again, and gets that answer: nothing is done twice.
package remote
