package render

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"testing"
)

// roundTrip encodes v, decodes it strictly and compares; then encodes what was decoded, which must change nothing.
func roundTrip(t *testing.T, v any, o TOONOptions) {
	t.Helper()
	want, err := Value(v)
	if err != nil {
		t.Fatal(err)
	}
	text := toon(t, v, o)
	got, err := decodeTOON(text, decodeOptions{indent: o.IndentSize})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if !sameValue(got, want) {
		t.Fatalf("%#v\nbecame\n%#v\nthrough\n%s", want, got, text)
	}
	if again := toon(t, got, o); again != text {
		t.Fatalf("encoded\n%s\nand again\n%s", text, again)
	}
}

func TestTOONRoundTripsRandomDocuments(t *testing.T) {
	r := random{rand.New(rand.NewPCG(3, 4))}
	for range 5000 {
		roundTrip(t, r.value(1+r.IntN(6)), TOONOptions{Delimiter: ",\t|"[r.IntN(3)], IndentSize: 1 + r.IntN(4)})
	}
}

func FuzzTOONRoundTrip(f *testing.F) {
	r := random{rand.New(rand.NewPCG(5, 6))}
	for i := range 200 {
		seed, err := Compact(r.value(1 + r.IntN(5)))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(seed, byte(i))
	}
	f.Add([]byte(`[{"a":{"b":[]}},{"a":{"b":{}}},1E999999999999999999999,"\ud83d\ude00"]`), byte(0))
	f.Fuzz(func(t *testing.T, text []byte, options byte) {
		if !json.Valid(text) {
			return
		}
		v, err := Value(json.RawMessage(text))
		if errors.Is(err, ErrDepth) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		roundTrip(t, v, TOONOptions{Delimiter: ",\t|"[options%3], IndentSize: 1 + int(options/3)%maxIndent})
	})
}

func FuzzTOONDecode(f *testing.F) {
	r := random{rand.New(rand.NewPCG(7, 8))}
	for range 100 {
		f.Add(toon(f, r.value(1+r.IntN(5)), TOONOptions{Delimiter: ",\t|"[r.IntN(3)]}), false)
	}
	f.Add("# c\n\na[2]:\n  - x[1:|]{\"a\\u0041\"|b{c|d}}:\n      k: 1|2|3\n    y: [1\n  -\n", true)
	f.Fuzz(func(t *testing.T, text string, lenient bool) {
		v, err := decodeTOON(text, decodeOptions{lenient: lenient})
		if errors.Is(err, ErrDepth) || errors.Is(err, errTOON) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Value(v); errors.Is(err, ErrDepth) {
			return
		}
		roundTrip(t, v, TOONOptions{})
	})
}
