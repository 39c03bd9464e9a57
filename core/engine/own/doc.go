// Package own is the client of Cupola's own terminal server. It starts the server with the first session; the server is
// this program, run with words of its own.
package own
