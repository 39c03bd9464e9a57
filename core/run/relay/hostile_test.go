package relay

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cupola/core/run/relay/stream"
)

func TestALinkIsSentAsALink(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "outside")
	writeFile(t, outside, "private")
	if err := os.Symlink(outside, filepath.Join(dir, "innocent")); err != nil {
		t.Fatal(err)
	}
	got := asNew(dir, "innocent")
	if strings.Contains(got, "private") || !strings.Contains(got, "new file mode 120000") ||
		!strings.Contains(got, "+"+outside) {
		t.Errorf("the link is sent as %q", got)
	}
}

func TestASlowReaderGetsTheEnd(t *testing.T) {
	r := asker(t)
	runsScript(t, r, "cat >/dev/null; head -c 200000 /dev/zero | tr '\\0' x; echo END")
	plan, err := r.Plan(t.Context(), valid(t))
	if err != nil {
		t.Fatal(err)
	}
	slow := true
	result, err := r.Run(t.Context(), plan, func(event Event) {
		if slow && event.Type == stream.Text {
			slow = false
			<-time.After(1500 * time.Millisecond)
		}
	})
	if err != nil || !strings.HasSuffix(result.Text, "xEND") || len(result.Text) != 200_003 {
		t.Errorf("%d bytes came, %v", len(result.Text), err)
	}
}

func TestASecretIsMaskedInPieces(t *testing.T) {
	directory := Directory{Dir: t.TempDir()}
	if err := os.MkdirAll(directory.files().Folder("abcdefgh"), 0o700); err != nil {
		t.Fatal(err)
	}
	log, err := directory.eventLog("abcdefgh")
	if err != nil {
		t.Fatal(err)
	}
	for _, piece := range []string{
		"the pass", "word: ", "hunter", "22zz and Bearer ", "abcdefghijklmnop1234", " is all",
	} {
		log.write(&Event{Type: stream.Text, Message: 1, Text: piece})
	}
	log.write(&Event{Type: stream.Text, Message: 1, Text: strings.Repeat("<", 3*mostHeld)})
	log.close()
	text, err := os.ReadFile(filepath.Join(directory.files().Folder("abcdefgh"), eventsFile))
	if err != nil || strings.Contains(string(text), "hunter") || strings.Contains(string(text), "ijklmnop1234") {
		t.Errorf("on file is %.300s, %v", text, err)
	}
	if events, _, err := directory.Events("abcdefgh", 0); err != nil || len(events) < 3 {
		t.Errorf("%d events, %v", len(events), err)
	}
}

func TestNoRedirectIsFollowed(t *testing.T) {
	asked := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer other.Close()
	server := httptest.NewServer(http.RedirectHandler(other.URL+"/v1", http.StatusTemporaryRedirect))
	defer server.Close()
	r := asker(t)
	backend, err := FromServer("away", "Away", Server{API: "openai", URL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	r.Backends = append(r.Backends, backend)
	request := valid(t)
	request.Backend = "away"
	_, _, err = answer(t.Context(), t, r, request)
	if err == nil || !strings.Contains(err.Error(), "leads to another address") || asked {
		t.Errorf("got %v, asked %v", err, asked)
	}
}
