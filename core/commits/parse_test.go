package commits

import "testing"

func FuzzParse(f *testing.F) {
	const hash = "0123456789012345678901234567890123456789"
	f.Add([]byte("\x00\x00" + hash + "\x0017\x00Ada\x00text\n\x00\x00\na.go\x00b.go\x00"))
	f.Add([]byte("\x00\x00" + hash + "\x0017\x00\x00\x00\x00\x00\x00" + hash + "\x0018\x00B\x00\x00\x00"))
	f.Add([]byte(hash + "\x00"))
	f.Fuzz(func(t *testing.T, out []byte) {
		for _, commit := range parse(out) {
			if !isHash(commit.Hash) {
				t.Errorf("got %+v", commit)
			}
			for _, file := range commit.Files {
				if file == "" {
					t.Errorf("got %+v", commit)
				}
			}
		}
	})
}
