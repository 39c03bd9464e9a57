package cast_test

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"cupola/core/term/cast"
)

func TestARecordingShowsEveryMoment(t *testing.T) {
	var file bytes.Buffer
	began := time.Unix(1_700_000_000, 0)
	err := errors.Join(cast.WriteHeader(&file, 20, 3, began, "api.1"),
		cast.WriteEvent(&file, cast.Event{At: time.Second, Kind: cast.Output, Data: "one\r\n"}),
		cast.WriteEvent(&file, cast.Event{At: 2 * time.Second, Kind: cast.Resize, Data: cast.SizeOf(30, 4)}),
		cast.WriteEvent(&file, cast.Event{At: 3 * time.Second, Kind: cast.Output, Data: "\x1b[31mtwo\x1b[m 日本"}))
	if err != nil {
		t.Fatal(err)
	}
	file.WriteString(`[4.0,"o","cut o`) // a crash
	c, err := cast.Read(&file)
	if err != nil || c.Began != began.Unix() || c.Length() != 3*time.Second || c.Title != "api.1" {
		t.Fatalf("%+v, %v", c, err)
	}
	for at, want := range map[time.Duration]string{
		0: "||", time.Second: "one||", 2500 * time.Millisecond: "one|||", time.Hour: "one|two 日本||",
	} {
		if got := strings.Join(c.ScreenAt(at).Lines(), "|"); got != want {
			t.Errorf("after %v %q, want %q", at, got, want)
		}
	}
	var again bytes.Buffer
	if err := c.Write(&again); err != nil {
		t.Fatal(err)
	}
	if same, err := cast.Read(&again); err != nil || !reflect.DeepEqual(same, c) {
		t.Errorf("%+v, %v", same, err)
	}
}

func TestWhatIsNoRecordingIsRefused(t *testing.T) {
	for _, text := range []string{
		"", "\n", "{}", `{"version":1,"width":80,"height":24}`, "[1]",
		`{"version":2,"width":0,"height":1}`,
	} {
		if _, err := cast.Read(strings.NewReader(text)); !errors.Is(err, cast.ErrFormat) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(
		[]byte("{\"version\":2,\"width\":9,\"height\":3}\n[0.5,\"o\",\"x\"]\n[2,\"o\",\"\\u001b[2J\"]\n"),
	)
	f.Fuzz(func(t *testing.T, file []byte) {
		if c, err := cast.Read(bytes.NewReader(file)); err == nil {
			c.ScreenAt(c.Length())
		}
	})
}
