package mcp

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// stateless is the first version of the protocol without sessions. Versions are dates.
	stateless = "2026-07-28"
	// versionHeader has the version of a request over HTTP.
	versionHeader = "Mcp-Protocol-Version"
	// sessionIdle is how long an unused session of an older version is kept.
	sessionIdle = 30 * time.Minute
	// maxBody is the most bytes of a request.
	maxBody = 4 << 20
)

// toolsetsParameter is the parameter of an address with the sets of tools that its client is offered.
const toolsetsParameter = "toolsets"

// Handler answers clients over HTTP, in streams, whichever version of the protocol they speak. It checks neither who
// asks nor from where. What it follows for clients ends with ctx.
func (s *Server) Handler(ctx context.Context) http.Handler {
	go s.watcher.run(ctx)
	var mu sync.Mutex
	bySets := map[string]*Server{"": s}
	server := func(r *http.Request) *mcp.Server {
		sets := strings.FieldsFunc(r.URL.Query().Get(toolsetsParameter), func(c rune) bool { return c == ',' })
		slices.Sort(sets)
		sets = slices.Compact(sets)
		if (Choice{Sets: sets}).Check() != nil {
			return nil // the client gets the status 400
		}
		mu.Lock()
		defer mu.Unlock()
		key := strings.Join(sets, ",")
		if bySets[key] == nil {
			opts := s.opts
			opts.Tools = Choice{Sets: sets}
			bySets[key] = New(opts)
			go bySets[key].watcher.run(ctx)
		}
		return bySets[key].mcp
	}
	kept := mcp.NewStreamableHTTPHandler(server, &mcp.StreamableHTTPOptions{
		SessionTimeout: sessionIdle, MaxRequestBodyBytes: maxBody,
	})
	single := mcp.NewStreamableHTTPHandler(server, &mcp.StreamableHTTPOptions{
		Stateless: true, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true,
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(versionHeader) >= stateless {
			single.ServeHTTP(w, r)
			return
		}
		kept.ServeHTTP(w, r)
	})
}
