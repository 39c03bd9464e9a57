// Package wire is the protocol between Cupola's own terminal server and its clients: frames over a socket, with JSON
// in most of them.
//
// A client begins with Hello, and may send its first Request with it. The server answers with a Hello and a Reply for
// each Request, in order. After a watch it sends Changes whenever something changed. After an attach both sides send
// what is typed and what is shown, as raw bytes.
package wire
