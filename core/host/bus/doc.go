// Package bus connects hosts through a NATS server, where ssh does not reach or there are too many of them. Each host
// publishes its changes to a stream and its picture to a bucket, and answers calls as a service. A client with the
// credentials sees all hosts, and may call them if the server allows it. Calls are the frames of package host, in
// messages in place of a connection.
//
//	cupola.event.HOST            what changes on a host: the stream CUPOLA_EVENTS
//	$KV.cupola-hosts.HOST.picture  its snapshot, at most two seconds behind
//	$KV.cupola-hosts.HOST.heartbeat   that it is there, every few seconds
//	cupola.host.HOST.read        calls that only read; then cupola.host.HOST.read.INSTANCE
//	cupola.host.HOST.act         calls that act; then cupola.host.HOST.act.INSTANCE
//
// A server that is slow or lost costs a host nothing: nothing of the host waits for it.
package bus
