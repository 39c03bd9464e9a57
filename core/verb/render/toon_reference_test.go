package render

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// referenceScript encodes a line of JSON on stdin to a JSON string on stdout with the reference implementation.
const referenceScript = `
import { createInterface } from 'node:readline'
const { encode } = await import(process.env.REFERENCE)
let out = []
for await (const line of createInterface({ input: process.stdin })) {
	const { value } = JSON.parse(line)
	out.push(JSON.stringify(encode(value)))
}
process.stdout.write(out.join('\n') + '\n')
`

// The reference is the npm package @toon-format/toon; CUPOLA_TOON_REFERENCE names the folder it is unpacked in.
func TestTOONEqualsTheReferenceImplementation(t *testing.T) {
	folder := os.Getenv("CUPOLA_TOON_REFERENCE")
	if folder == "" {
		t.Skip("CUPOLA_TOON_REFERENCE names no folder of the package @toon-format/toon")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	const documents = 20_000
	r := random{rand.New(rand.NewPCG(1, 2))}
	var stdin bytes.Buffer
	inputs, ours := make([]string, documents), make([]string, documents)
	for i := range documents {
		value := r.value(1 + r.IntN(5))
		line := Object{{"value", value}}
		ours[i] = toon(t, value)
		start := stdin.Len()
		if err := JSON(&stdin, line, false); err != nil {
			t.Fatal(err)
		}
		inputs[i] = string(stdin.Bytes()[start:])
		stdin.WriteByte('\n')
	}
	cmd := exec.CommandContext(t.Context(), node, "--input-type=module", "--eval", referenceScript)
	cmd.Env = append(os.Environ(), "REFERENCE="+filepath.Join(folder, "dist", "index.mjs"))
	cmd.Stdin, cmd.Stderr = &stdin, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	compareToReference(t, bytes.NewReader(out), inputs, ours)
}

func compareToReference(t *testing.T, theirs *bytes.Reader, inputs, ours []string) {
	t.Helper()
	lines := bufio.NewScanner(theirs)
	lines.Buffer(nil, 16<<20)
	compared, different, tables := 0, 0, 0
	for ; lines.Scan(); compared++ {
		var want string
		if err := json.Unmarshal(lines.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(want, "{") {
			tables++
		}
		if ours[compared] == want {
			continue
		}
		different++
		if different <= 10 {
			t.Errorf("%s\nours:\n%s\nreference:\n%s", inputs[compared], ours[compared], want)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if compared != len(ours) {
		t.Fatalf("the reference encoded %d of %d documents", compared, len(ours))
	}
	t.Logf("%d documents, %d with a brace, %d different", compared, tables, different)
}
