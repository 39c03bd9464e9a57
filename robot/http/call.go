package http

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"cupola/core"
	"cupola/core/verb/registry"
	"cupola/core/verb/render"
	"cupola/robot"
	"cupola/robot/service"
)

// fieldsParameter is the parameter of a URL that chooses columns; all others are inputs of the verb.
const fieldsParameter = "fields"

// call answers /api/v1/VERB: a POST with the input as JSON or, for verbs that only read, a GET with it in the URL.
func (s *Server) call(w http.ResponseWriter, r *http.Request) {
	// The page offers no more than that.
	border := s.opts.Service.Caller()
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
		call.Reads, call.Input = true, inputOf(s.opts.Service.Catalog.Find(call.Verb), query)
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
	done := s.limits.enter(w, s.opts.Service.Catalog.Find(call.Verb))
	if done == nil {
		return
	}
	defer done()
	s.answer(w, r, call)
}

// answer writes the document of a verb with its status, or the lines of one that streams as they come.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, call *service.Call) {
	streams := false
	line := func(line render.Object) error {
		if !streams {
			streams = true
			w.Header().Set("Content-Type", "application/x-ndjson")
		}
		if err := writeLine(w, line); err != nil {
			return err
		}
		return http.NewResponseController(w).Flush()
	}
	answer := s.opts.Service.Run(r.Context(), call, line)
	switch {
	case !streams:
		answer.Document = s.opts.Service.AddCalls(answer.Document, requestOf)
		writeAnswer(w, r, answer)
	case answer.Document != nil:
		_ = line(answer.Document) // a client that has gone reads no end
	}
}

// requestOf is the request that calls a verb with an input.
func requestOf(verb *registry.Verb, input render.Object) render.Object {
	return render.Object{
		{Key: "method", Value: http.MethodPost}, {Key: "path", Value: API + verb.Name}, {Key: "body", Value: input},
	}
}

// writeAnswer writes the document of an answer with the status of its code.
func writeAnswer(w http.ResponseWriter, r *http.Request, answer robot.Answer) {
	text, err := encoded(answer.Document)
	if err != nil {
		fail(w, http.StatusInternalServerError, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	writePacked(w, r, StatusOf(answer.Code), append(text, '\n'))
}

// writeLine writes a value as a line of JSON.
func writeLine(w io.Writer, value any) error {
	line, err := encoded(value)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// encoded is an answer, or a part of one, as this server sends it: it is encoded here alone, and once.
func encoded(value any) ([]byte, error) { return render.Compact(value) }

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
	return core.Map(values, func(s string) any { return s })
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
	case isType(err):
		return nil, http.StatusBadRequest, core.Errorf(core.InvalidInput, "the body is JSON, and no object")
	case err != nil:
		return nil, http.StatusBadRequest, core.Errorf(core.InvalidInput, "the body is no JSON object: %w", err)
	case input == nil:
		return nil, http.StatusBadRequest, core.Errorf(core.InvalidInput, "the body is JSON, and no object")
	}
	return input, 0, nil
}

// isType reports whether a text is JSON of another type than was wanted.
func isType(err error) bool {
	var other *json.UnmarshalTypeError
	return errors.As(err, &other)
}

// StatusOf is the status of HTTP that a code has; that of a success for none.
func StatusOf(code core.Code) int {
	if code == "" {
		return http.StatusOK
	}
	row, _ := code.Row()
	return row.HTTP
}
