package bridge

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"cupola/core"
)

// Call runs an action of a tool and returns its answer. Timeout replaces the action's own
// limit where it is not 0. It returns ToolNotFound, Timeout, BackendFailed where the tool
// says that it failed, DecodeFailed where its answer cannot be understood, and InvalidInput
// for values that it must not be given. If the output of a failed tool shows the cause, the
// error is CredentialMissing, AuthFailed, RateLimited or NetworkError; otherwise
// BackendFailed.
func (b *Bridges) Call(ctx context.Context, action *Action, values Values, timeout time.Duration) (*Answer, error) {
	path, ok := b.Locate(action.Tool)
	if !ok {
		return nil, action.Tool.missing()
	}
	args, err := Fill(action.Argv, withReach(values))
	if err != nil {
		return nil, err
	}
	bound := limits{timeout: cmp.Or(timeout, action.Timeout, usualTimeout), output: cmp.Or(action.Output, usualOutput)}
	out, err := run(ctx, action.Tool, path, args, bound)
	if err == nil && !action.answers(out.status) {
		err = action.Tool.failed(args, out, action.Tool.ID+" failed: "+complaint(out))
	}
	if err != nil {
		return nil, action.Tool.mask(err, values)
	}
	return action.read(ctx, out, values)
}

// withReach adds how many rows a tool must give, for those whose rows are cut
// here.
func withReach(values Values) Values {
	p := pageOf(values)
	if p.limit == 0 {
		return values
	}
	values = maps.Clone(values)
	values[reachModifier] = p.offset + p.limit + 1
	return values
}

// mask hides what was given for secret modifiers in an error.
func (t *Tool) mask(err error, values Values) error {
	e := core.AsError(err)
	details, ok := e.Details.(map[string]any)
	argv, known := details["argv"].([]string)
	if !ok || !known {
		return err
	}
	for name, flag := range t.Flags {
		secret, given := values[name].(string)
		if !flag.Secret || !given || secret == "" {
			continue
		}
		for i := range argv {
			argv[i] = strings.ReplaceAll(argv[i], secret, "***")
		}
		for _, part := range []string{"stdout", "stderr"} {
			text, _ := details[part].(string)
			details[part] = strings.ReplaceAll(text, secret, "***")
		}
		e.Message = strings.ReplaceAll(e.Message, secret, "***")
	}
	return e
}

// complaint is the best sentence that a failed tool gave: the message of a JSON
// error, or else the last line that it wrote on its standard error.
func complaint(out printed) string {
	for _, text := range [][]byte{out.stdout, out.stderr} {
		var said struct {
			Error   json.RawMessage `json:"error"`
			Message string          `json:"message"`
		}
		if json.Unmarshal(text, &said) != nil {
			continue
		}
		var inner struct {
			Message string `json:"message"`
		}
		var word string
		_ = json.Unmarshal(said.Error, &inner)
		_ = json.Unmarshal(said.Error, &word)
		if message := cmp.Or(inner.Message, said.Message, word); message != "" {
			return message
		}
	}
	lines := strings.Split(tail(out.stderr), "\n")
	if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
		return last
	}
	if out.status < 0 {
		return "it was killed"
	}
	return "it ended with status " + written(out.status, "")
}

// Locate returns the path of a tool's program; ok is false if none of its names is in PATH.
func (b *Bridges) Locate(tool *Tool) (path string, ok bool) {
	for _, name := range tool.Programs {
		if path, err := b.lookPath(name); err == nil {
			return path, true
		}
	}
	return "", false
}

// Find returns the path of a program in PATH.
func (b *Bridges) Find(program string) (string, error) { return b.lookPath(program) }

// versionWithin bounds how long a program may take to print its version: some agents
// take seconds.
const versionWithin = 3 * time.Second

// versionNumber finds a version in what a program prints.
var versionNumber = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\d+(\.\d+)+([-+.][0-9A-Za-z][0-9A-Za-z.-]*)?`)
})

// VersionOf runs a program with arguments and returns the version that it prints, or its
// first line if that contains no number. The error says why there is none.
func VersionOf(ctx context.Context, path string, args []string) (string, error) {
	tool := &Tool{ID: path, Programs: []string{path}}
	out, err := run(ctx, tool, path, args, limits{timeout: versionWithin, output: stderrLimit})
	if err != nil {
		return "", err
	}
	text := slices.Concat(out.stdout, []byte("\n"), out.stderr)
	if found := versionNumber().Find(text); found != nil {
		return string(found), nil
	}
	if out.status != 0 {
		return "", tool.failed(args, out, complaint(out))
	}
	first, _, _ := strings.Cut(strings.TrimSpace(strings.ToValidUTF8(string(text), "")), "\n")
	return first, nil
}
