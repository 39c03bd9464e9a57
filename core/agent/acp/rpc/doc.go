// Package rpc carries JSON-RPC 2.0 over two streams, a message a line, as the Agent Client Protocol wants it. Both
// sides ask and answer. What the other side sends is foreign: lines are bounded, and lines that are no message are
// faults, which do not end the connection.
package rpc
