package guide_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/verb/guide"
)

// requests are the lines of a manual page that roff obeys, of those that we write.
var requests = regexp.MustCompile(`^\.(TH|SH|PP|TP|B|nf|fi)( .*)?$`)

func TestManualPagesAreCompleteAndEscaped(t *testing.T) {
	c := catalog()
	c.Find("tail").Long = ".SH is no section,\n'and \\fBthis\\fR is not bold."
	doc, err := guide.Write(c, guide.Reference...)
	if err != nil {
		t.Fatal(err)
	}
	pages := guide.ManPages(doc)
	for page, lines := range map[string][]string{
		"cupola.1": {".TH CUPOLA 1", ".B cupola tail", `Show lines; see cupola\-tail(1).`, `.B \-v, \-\-verbose`},
		"cupola-tail.1": {
			`.TH CUPOLA\-TAIL 1`, `cupola\-tail \- Show lines`, "cupola tail SESSION [flags]", `cupola \-\-robot\-tail=SESSION`, `cupola tail api \-\-lines=5`,
			`\&.SH is no section, 'and \efBthis\efR is not bold.`, `.B \-n, \-\-lines=INT`, "Lines | rows to show; default 50.", `How (fast, slow).`,
		},
		"cupola-flow.1": {"Stream."},
		"cupola-get.1":  {".B KEY", "A key."},
	} {
		for _, line := range lines {
			if !slices.Contains(strings.Split(pages[page], "\n"), line) {
				t.Errorf("%s: %q is no line of it", page, line)
			}
		}
	}
	if len(pages) != 4 {
		t.Errorf("%d pages", len(pages))
	}
	for name, page := range pages {
		for line := range strings.Lines(page) {
			if strings.IndexAny(line, ".'") == 0 && !requests.MatchString(strings.TrimSuffix(line, "\n")) {
				t.Errorf("%s: roff reads %q", name, line)
			}
		}
	}
	if !strings.Contains(pages["cupola-tail.1"], string(core.SessionNotFound)) {
		t.Error("the page of tail lacks its errors")
	}
}

func TestHelpHasTopicPages(t *testing.T) {
	for _, topic := range guide.HelpTopics() {
		found, ok := guide.FindTopic(topic.Name)
		text := found.Text()
		if !ok || !strings.HasPrefix(text, topic.Short+".\n\n") || len(topic.Rows) == 0 {
			t.Errorf("%s: %t, %s", topic.Name, ok, text)
		}
		for _, row := range topic.Rows {
			if row.Text == "" || !strings.Contains(text, "  "+row.Name+"\n      "+row.Text+"\n") {
				t.Errorf("%s says nothing of %s", topic.Name, row.Name)
			}
		}
	}
	codes, _ := guide.FindTopic("exit-codes")
	for _, row := range core.Codes() {
		if !strings.Contains(codes.Text(), "  "+string(row.Code)+"\n") {
			t.Errorf("%s is not explained", row.Code)
		}
	}
	if _, ok := guide.FindTopic("nothing"); ok {
		t.Error("there is help about nothing")
	}
}
