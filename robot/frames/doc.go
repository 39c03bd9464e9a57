// Package frames answers the calls of other hosts, as frames of core/host, with the verbs of this machine. The answer
// of a call that does more than read is on record under the key of the call, for a client that lost its link.
package frames
