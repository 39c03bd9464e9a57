package mcp

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// answersWithin is how long calls are still answered after the input has ended. Clients end a server by closing its
// input, and wait a few seconds.
const answersWithin = 2 * time.Second

// listens is the call that is never answered: a client hears of changes while it is open.
const listens = "subscriptions/listen"

// patient is a transport whose end waits for the calls that were read before it, so that a script may pipe them in.
type patient struct{ mcp.Transport }

// Connect connects.
func (p patient) Connect(ctx context.Context) (mcp.Connection, error) {
	inner, err := p.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &patientConnection{Connection: inner, open: map[jsonrpc.ID]bool{}, answered: make(chan struct{}, 1)}, nil
}

type patientConnection struct {
	mcp.Connection

	mu sync.Mutex
	// open are the calls that have no answer.
	open map[jsonrpc.ID]bool
	// answered signals that there is one less.
	answered chan struct{}
}

// Read returns the next message; the end of the input only when all calls are answered, or after answersWithin.
func (c *patientConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	message, err := c.Connection.Read(ctx)
	if errors.Is(err, io.EOF) {
		c.await(ctx)
		return nil, err
	}
	if request, is := message.(*jsonrpc.Request); is && request.ID.IsValid() && request.Method != listens {
		c.mu.Lock()
		c.open[request.ID] = true
		c.mu.Unlock()
	}
	return message, err
}

// Write writes a message.
func (c *patientConnection) Write(ctx context.Context, message jsonrpc.Message) error {
	err := c.Connection.Write(ctx, message)
	if response, is := message.(*jsonrpc.Response); is {
		c.mu.Lock()
		delete(c.open, response.ID)
		c.mu.Unlock()
		select {
		case c.answered <- struct{}{}:
		default:
		}
	}
	return err
}

func (c *patientConnection) await(ctx context.Context) {
	late := time.NewTimer(answersWithin)
	defer late.Stop()
	for c.waits() {
		select {
		case <-c.answered:
		case <-late.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

func (c *patientConnection) waits() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open) > 0
}
