package http

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"cupola/core"
	"cupola/robot/registry"
	"cupola/robot/service"
)

// fieldsParameter is the parameter of a URL that chooses columns; all others are inputs of the verb.
const fieldsParameter = "fields"

// call answers /api/v1/VERB: a POST with the input as JSON or, for verbs that only read, a GET with it in the URL.
func (s *Server) call(w http.ResponseWriter, r *http.Request) {
	// The page offers no more than that.
	border := s.Service.Caller()
	w.Header().Set("Cupola-Allow", string(border.Level))
	w.Header().Set("Cupola-Commands", strconv.FormatBool(border.Commands))
	call := &service.Call{Verb: r.PathValue("verb")}
	query := r.URL.Query()
	if fields := query.Get(fieldsParameter); fields != "" {
		call.Fields = strings.Split(fields, ",")
	}
	query.Del(fieldsParameter)
	query.Del(tokenParameter)
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		call.Reads, call.Input = true, inputOf(s.Service.Catalog.Find(call.Verb), query)
	case http.MethodPost:
		if len(query) > 0 {
			fail(w, http.StatusBadRequest, core.Errorf(core.InvalidInput, "the input of a POST is its body"))
			return
		}
		var status int
		var err error
		if call.Input, status, err = bodyOf(w, r); err != nil {
			fail(w, status, err)
			return
		}
	default:
		w.Header().Set("Allow", "GET, HEAD, POST")
		fail(w, http.StatusMethodNotAllowed, core.Errorf(core.InvalidInput, "no method %s here", clipped(r.Method)))
		return
	}
	if !s.rate.Allow() {
		s.busy(w)
		return
	}
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	default:
		s.busy(w)
		return
	}
	s.answer(r.Context(), w, call)
}

// busy answers a call that is one too many.
func (s *Server) busy(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	fail(w, http.StatusTooManyRequests, core.Errorf(core.RateLimited, "too many calls at once"))
}

// answer writes the document of a verb, or the lines of one that streams.
func (s *Server) answer(ctx context.Context, w http.ResponseWriter, call *service.Call) {
	out := &response{w: w}
	code := s.Service.Run(ctx, call, out)
	if !out.begun {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(StatusOf(code))
		_, _ = w.Write(out.held.Bytes()) // a client that has gone reads no answer
	}
}

// response is an answer on its way. A document waits for its status; lines of a stream are passed on at once.
type response struct {
	w     http.ResponseWriter
	held  bytes.Buffer
	begun bool
}

// documents are the beginnings of lines that are an answer by themselves: a document, and a stream that has only an
// end.
var documents = [][]byte{[]byte(`{"success":`), []byte(`{"type":"end"`)}

// Write takes one line.
func (o *response) Write(line []byte) (int, error) {
	if !o.begun {
		for _, beginning := range documents {
			if bytes.HasPrefix(line, beginning) {
				return o.held.Write(line)
			}
		}
		o.begun = true
		o.w.Header().Set("Content-Type", "application/x-ndjson")
	}
	n, err := o.w.Write(line)
	if err == nil {
		err = http.NewResponseController(o.w).Flush()
	}
	return n, err
}

// inputOf is the input of a verb in a URL. A parameter that occurs several times is a list.
func inputOf(verb *registry.Verb, query url.Values) map[string]any {
	input := map[string]any{}
	for name, values := range query {
		input[name] = typedInput(verb, name, values)
	}
	return input
}

func typedInput(verb *registry.Verb, name string, values []string) any {
	if verb != nil {
		field, err := registry.Takes(verb, name)
		if err == nil && field.Type == "bool" && len(values) == 1 {
			if on, err := strconv.ParseBool(values[0]); err == nil {
				return on
			}
			if values[0] == "" { // ?dry-run
				return true
			}
		}
	}
	if len(values) == 1 {
		return values[0]
	}
	list := make([]any, len(values))
	for i := range values {
		list[i] = values[i]
	}
	return list
}

// bodyOf reads the input of a POST, which is a JSON object. Only that type of content is taken: a page of another site
// cannot send it without asking first, which is never allowed.
func bodyOf(w http.ResponseWriter, r *http.Request) (map[string]any, int, error) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return nil, http.StatusUnsupportedMediaType,
			core.Errorf(core.InvalidInput, "the content type is not application/json")
	}
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	decoder.UseNumber()
	var input map[string]any
	err = decoder.Decode(&input)
	if err == nil {
		if _, more := decoder.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("there is more behind the object")
		}
	}
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, http.StatusRequestEntityTooLarge,
			core.Errorf(core.InvalidInput, "the body has more than %d bytes", maxBody)
	case errors.Is(err, io.EOF) && input == nil: // an empty body gives nothing
		return map[string]any{}, 0, nil
	case err != nil:
		return nil, http.StatusBadRequest, core.Errorf(core.InvalidInput, "the body is no JSON object: %w", err)
	}
	return input, 0, nil
}

// statuses are the statuses of HTTP by the detailed exit status of a failure.
var statuses = map[int]int{
	2: http.StatusBadRequest, 4: http.StatusBadGateway, 5: http.StatusForbidden, 7: http.StatusTooManyRequests,
	8: http.StatusBadGateway, 9: http.StatusServiceUnavailable, 14: http.StatusServiceUnavailable,
	16: http.StatusBadGateway, 17: http.StatusNotFound, 18: http.StatusConflict, 19: http.StatusConflict,
	21: http.StatusConflict, 124: http.StatusGatewayTimeout, 130: http.StatusServiceUnavailable,
}

// StatusOf is the status of HTTP that a code has; that of a success for none.
func StatusOf(code core.Code) int {
	switch code {
	case "":
		return http.StatusOK
	case core.UnknownCommand:
		return http.StatusNotFound
	case core.NotImplemented:
		return http.StatusNotImplemented
	case core.BudgetExceeded:
		return http.StatusPaymentRequired
	}
	row, _ := code.Row()
	if status, has := statuses[row.Detailed]; has {
		return status
	}
	return http.StatusInternalServerError
}
