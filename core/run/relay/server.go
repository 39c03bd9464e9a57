package relay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/run/relay/stream"
	"cupola/core/system/shell"
)

// api is how a server is asked.
type api struct {
	format stream.Format
	// path is where prompts go, and models where its models are listed.
	path, models string
	// more adds what the API has besides the conversation.
	more func(body map[string]any, p *Plan)
	// tool is the program that serves it on this machine; the zero value where there are several.
	tool ServerTool
}

// ServerTool is a program that serves an API on this machine, with the commands that install it,
// start it, and get a model.
type ServerTool struct {
	Program string
	// Install has a command for each system, separated by ", or ".
	Install, Start, Pull string
}

// DefaultModel is the model that a tool is advised to get where the settings name none.
const DefaultModel = "qwen3"

// ollamaTool serves the API of Ollama.
var ollamaTool = ServerTool{
	Program: "ollama", Install: "brew install ollama, or curl -fsSL https://ollama.com/install.sh | sh",
	Start: "ollama serve", Pull: "ollama pull",
}

// Tool returns the program that would serve the backend on this machine; false for programs, for
// servers of other machines, and for APIs that several programs serve.
func (b *Backend) Tool() (ServerTool, bool) {
	if b.server == nil || b.Category != Local {
		return ServerTool{}, false
	}
	tool := apis[b.server.API].tool
	return tool, tool.Program != ""
}

// apis are the APIs that are known.
var apis = map[string]api{
	"ollama": {format: "ollama", path: "/api/chat", models: "/api/tags", more: ollama, tool: ollamaTool},
	"openai": {format: "openai", path: "/chat/completions", models: "/models", more: openAI},
}

func ollama(body map[string]any, p *Plan) {
	if p.Schema != nil {
		body["format"] = p.Schema
	}
}

func openAI(body map[string]any, p *Plan) {
	body["stream_options"] = map[string]bool{"include_usage": true}
	if p.Schema != nil {
		body["response_format"] = map[string]any{
			"type": "json_schema", "json_schema": map[string]any{"name": "answer", "schema": p.Schema},
		}
	}
}

// body is the request to the plan's server: the conversation until now, and the prompt.
func (p *Plan) body() map[string]any {
	messages := []map[string]string{}
	say := func(role, text string) {
		messages = append(messages, map[string]string{"role": role, "content": text})
	}
	for _, turn := range p.History {
		say("user", turn.Prompt)
		say("assistant", turn.Answer)
	}
	say("user", p.Prompt)
	body := map[string]any{"stream": true, "messages": messages}
	if p.Model != "" {
		body["model"] = p.Model
	}
	apis[p.backend.server.API].more(body, p)
	return body
}

// The limits of what a server says besides its answer: how much of an error is read and repeated,
// and how long it may take to say that it is there.
const (
	errorRead    = 64 << 10
	errorShown   = 200
	probeTimeout = 3 * time.Second
)

// HasKey returns CredentialMissing for a backend that needs a key where none is set.
func (r *Relay) HasKey(b *Backend) error {
	variable := b.server.KeyVariable
	if variable == "" || lookup(r.Environ, variable) != "" {
		return nil
	}
	return &core.Error{
		Code:    core.CredentialMissing,
		Message: fmt.Sprintf("%s needs a key: the variable %s is not set", b.Name, variable),
		Details: map[string]string{"backend": b.ID, "variable": variable},
	}
}

// client follows no redirect: prompts and keys go to the address of the settings alone.
var client = &http.Client{
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// request sends the prompt to the plan's server, and passes what it answers to feed.
func (p *Plan) request(ctx context.Context, feed func([]byte)) (stream.End, error) {
	end := stream.End{Exit: -1}
	server := p.backend.server
	body, err := json.Marshal(p.body())
	if err != nil {
		return end, core.Errorf(core.InternalError, "encode the request: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL, bytes.NewReader(body))
	if err != nil {
		return end, core.Errorf(core.ConfigInvalid, "backends.%s.url: %w", p.Backend, err)
	}
	request.Header.Set("Content-Type", "application/json")
	if key := lookup(p.environ, server.KeyVariable); key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	response, err := client.Do(request)
	if err != nil {
		return end, p.unreachable(ctx, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return end, p.refused(response)
	}
	// An answer that breaks off is judged by what came of it.
	_, _ = io.Copy(fed(feed), response.Body)
	return end, nil
}

// fed passes what is written to it to a function.
type fed func([]byte)

// Write never fails.
func (f fed) Write(text []byte) (int, error) {
	f(text)
	return len(text), nil
}

// unreachable is the error of a server that gave no answer.
func (p *Plan) unreachable(ctx context.Context, err error) error {
	name, server := p.backend.Name, p.backend.server
	if ctx.Err() != nil {
		return err
	}
	if failed := (*url.Error)(nil); errors.As(err, &failed) {
		err = failed.Err
	}
	if p.backend.Reachable(ctx) {
		return core.Errorf(core.NetworkError, "%s request failed: %w", name, err)
	}
	e := core.Errorf(core.NetworkError, "%s server not reachable at %s. Is %[1]s running?", name, server.URL)
	e.Err, e.Details = err, map[string]string{"url": server.URL, "cause": err.Error(), "install": p.backend.Install}
	if tool, known := p.backend.Tool(); known {
		e.Actions = []string{tool.Start}
	}
	return e
}

// refused is the error of a server that answered with something else than success.
func (p *Plan) refused(response *http.Response) error {
	said, _ := io.ReadAll(io.LimitReader(response.Body, errorRead))
	text := strings.TrimSpace(strings.ToValidUTF8(string(said), "\uFFFD"))
	if runes := []rune(text); len(runes) > errorShown {
		text = string(runes[:errorShown])
	}
	e := core.Errorf(core.BackendFailed, "%s returned HTTP %d: %s", p.backend.Name, response.StatusCode, text)
	if to := response.Header.Get("Location"); to != "" && response.StatusCode < http.StatusBadRequest {
		e = core.Errorf(core.BackendFailed, "%s leads to another address, which was not asked: %s", p.backend.Name, to)
		e.Hint = "If you trust that address, make it the url of the backend in your settings."
	}
	switch response.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		e.Code = core.AuthFailed
	case http.StatusTooManyRequests:
		e.Code = core.RateLimited
	case http.StatusNotFound:
		if agent.NamesNoModel(text) {
			e.Code = core.ModelNotFound
			if tool, known := p.backend.Tool(); known && p.Model != "" {
				e.Actions = []string{tool.Pull + " " + shell.Quote(p.Model)}
			}
			break
		}
		e.Hint = "Check that the address is the API's, and that the server has the model."
	}
	return e
}

// Reachable reports whether the backend's server answers at all.
func (b *Backend) Reachable(ctx context.Context) bool {
	_, err := b.Models(ctx, nil)
	return err == nil || errors.Is(err, errRefused)
}

// errRefused means that a server answered, but not with what it was asked for.
var errRefused = errors.New("the server answered with an error")

// Models lists the models of the backend's server.
func (b *Backend) Models(ctx context.Context, environ []string) ([]string, error) {
	if b.server == nil {
		return nil, nil
	}
	ctx, stop := context.WithTimeout(ctx, probeTimeout)
	defer stop()
	address := strings.TrimSuffix(b.server.URL, "/") + apis[b.server.API].models
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	if key := lookup(environ, b.server.KeyVariable); key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var list struct {
		Models []struct{ Name string }
		Data   []struct{ ID string }
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%w: HTTP %d", errRefused, response.StatusCode)
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, 4<<20)).Decode(&list); err != nil {
		return nil, fmt.Errorf("%w: %w", errRefused, err)
	}
	models := core.Map(list.Models, func(model struct{ Name string }) string { return model.Name })
	for _, model := range list.Data {
		models = append(models, model.ID)
	}
	return models, nil
}

// isLocal reports whether an address is one of this machine.
func isLocal(address *url.URL) bool {
	ip, err := netip.ParseAddr(address.Hostname())
	return address.Hostname() == "localhost" || err == nil && ip.IsLoopback()
}

// lookup returns the value of a variable of an environment; the last one counts.
func lookup(environ []string, name string) string {
	value := ""
	for _, entry := range environ {
		if n, v, _ := strings.Cut(entry, "="); n == name && name != "" {
			value = v
		}
	}
	return value
}
