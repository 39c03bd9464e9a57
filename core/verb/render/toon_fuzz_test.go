package render

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"testing"
)

// roundTrip encodes v, decodes it strictly and compares; then encodes what was decoded, which must change nothing.
func roundTrip(t *testing.T, v any) {
	t.Helper()
	want, err := Value(v)
	if err != nil {
		t.Fatal(err)
	}
	text := toon(t, v)
	got, err := decodeTOON(text, decodeOptions{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if !sameValue(got, want) {
		t.Fatalf("%#v\nbecame\n%#v\nthrough\n%s", want, got, text)
	}
	if again := toon(t, got); again != text {
		t.Fatalf("encoded\n%s\nand again\n%s", text, again)
	}
}

func TestTOONRoundTripsRandomDocuments(t *testing.T) {
	r := random{rand.New(rand.NewPCG(3, 4))}
	for range 5000 {
		roundTrip(t, r.value(1+r.IntN(6)))
	}
}

func FuzzTOONRoundTrip(f *testing.F) {
	r := random{rand.New(rand.NewPCG(5, 6))}
	for range 200 {
		seed, err := Compact(r.value(1 + r.IntN(5)))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(seed)
	}
	f.Add([]byte(`[{"a":{"b":[]}},{"a":{"b":{}}},1E999999999999999999999,"\ud83d\ude00"]`))
	f.Fuzz(func(t *testing.T, text []byte) {
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
		roundTrip(t, v)
	})
}

func FuzzTOONDecode(f *testing.F) {
	r := random{rand.New(rand.NewPCG(7, 8))}
	for range 100 {
		f.Add(toon(f, r.value(1+r.IntN(5))), false)
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
		roundTrip(t, v)
	})
}
