package wire

import (
	"bytes"
	"os"
)

// Asked is a request that was sent and whose answer was not read yet.
type Asked struct {
	path    string
	request []byte
	conn    *connection
}

// Ask sends a command that only reads to the server at path, as the first Query of a client
// does, without waiting for the answer. It returns nil if it cannot send at once.
func Ask(path string, argv []string) *Asked {
	request, err := firstRequest(argv)
	if err != nil || !littleEndian() {
		return nil
	}
	before, err := os.Stat(path)
	if err != nil {
		return nil
	}
	conn, err := open(path)
	if err != nil {
		return nil
	}
	asked := &Asked{path: path, request: request, conn: &connection{File: conn, server: server{before}, asked: true}}
	after, err := os.Stat(path)
	if err != nil || !asked.conn.server.is(server{after}) {
		conn.Close()
		return nil
	}
	if _, err := conn.Write(request); err != nil {
		conn.Close()
		return nil
	}
	return asked
}

// Expect lets the first Query of c use the answer to asked, if it sends the same request
// to the same server. Otherwise the answer is discarded.
func (c *Client) Expect(asked *Asked) {
	if asked == nil {
		return
	}
	if asked.path != c.path {
		asked.conn.Close()
		return
	}
	c.expected.Store(asked)
}

// answering returns the connection on which a request is being answered; nil if
// there is none.
func (c *Client) answering(request []byte) *connection {
	asked := c.expected.Swap(nil)
	if asked == nil {
		return nil
	}
	if !bytes.Equal(asked.request, request) {
		asked.conn.Close()
		return nil
	}
	return asked.conn
}
