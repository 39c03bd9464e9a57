package story_test

import (
	"fmt"
	"strings"
	"testing"

	"cupola/core/run/story"
)

// outline writes stories and dropped lines in short: "id title <after> [task:mark text]".
func outline(stories []story.Story, dropped []story.Dropped) string {
	var b strings.Builder
	for _, s := range stories {
		fmt.Fprintf(&b, "%s|%s", s.ID, s.Title)
		if len(s.After) > 0 {
			fmt.Fprintf(&b, " <%s>", strings.Join(s.After, ","))
		}
		for _, task := range s.Tasks {
			mark := " "
			if task.Done {
				mark = "x"
			}
			fmt.Fprintf(&b, " [%s]%s%s:%s", mark, strings.Repeat(">", task.Depth), task.ID, task.Text)
		}
		b.WriteByte('\n')
	}
	for _, d := range dropped {
		fmt.Fprintf(&b, "!%d\n", d.Line)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// parseCases are texts and their outlines.
var parseCases = []struct{ name, text, want string }{
	{"empty", "", ""},
	{
		"numbered", "## 1. A. b\n- [ ] 1.1 x\n- [x] 1.2 y\n## 2. B\n- [X] 2.1 z",
		"1|A. b [ ]1.1:x [x]1.2:y\n2|B [x]2.1:z",
	},
	{
		"numbers", "## 1) A\n- [ ] a\n## 2: B\n- [ ] b\n## 3 - C\n- [ ] c\n## 4.1 D\n- [ ] d\n## 5. \n- [ ] e",
		"1|A [ ]1.1:a\n2|B [ ]2.1:b\n3|C [ ]3.1:c\n4.1|D [ ]4.1.1:d\n5|5 [ ]5.1:e",
	},
	{"CRLF and BOM", "\uFEFF## 1. A\r\n- [ ] 1.1 x\r\n- [x] 1.2 y\r\n", "1|A [ ]1.1:x [x]1.2:y"},
	{
		"titles", "## Set up the *thing*!\n- [ ] a\n## Über Öl ##\n* [ ] b\n## !\n+ [ ] c",
		"set-up-the-thing|Set up the *thing*! [ ]set-up-the-thing.1:a\nüber-öl|Über Öl [ ]über-öl.1:b\n" +
			"story|! [ ]story.1:c",
	},
	{
		"other levels", "# 1. No\n## 1. A\n- [ ] a\n### 1.1 No\n- [ ] b\n# 2. No\n- [ ] c\n#### 3. No\n- [ ] d",
		"1|A [ ]1.1:a [ ]1.2:b [ ]1.3:c [ ]1.4:d",
	},
	{
		"markers", "## 1. A\n* [ ] a\n+ [ ] b\n1. [ ] c\n2) [x] d\n-[ ] e\n\t- [ ] f",
		"1|A [ ]1.1:a [ ]1.2:b [ ]1.3:c [x]1.4:d [ ]1.5:e [ ]>1.6:f",
	},
	{
		"marks", "## 1. A\n- [~] a\n- [] b\n- [ x ] c\n- [X ]d\n- [1] e\n- [é] f",
		"1|A [ ]1.1:a [ ]1.2:b [x]1.3:c [x]1.4:d [ ]1.5:e [ ]1.6:f",
	},
	{"links", "## 1. A\n- [a](b)\n- [x][1]\n- [doc](./d.md)\n- [ ](b)\n- [ ][c]", "1|A [ ]1.1:(b) [ ]1.2:[c]"},
	{
		"spaces of JavaScript", "\u3000-\u00a0[\u2028x\ufeff]\u00a01.1 a\u2028b\n- [x]\u200b1.2 c\n\u0085- [ ] no",
		"1.1|a [x]1.1:a\n2|\u200b1.2 c [x]2:\u200b1.2 c",
	},
	{"a lone CR is no end of line", "- [ ] a\r- [ ] b", "1|a [ ]1:a"},
	{"an emoji is two characters", "- [✅] a\n- [😀] b", "1|a [ ]1:a\n!2"},
	{"bad bytes", "- [\xff] a\n- [\xe2\x82] b\n- [\xff\xff] c\n- [ ] d\xff", "1|a [ ]1:a\n2|b [ ]2:b\n" +
		"3|d\uFFFD [ ]3:d\uFFFD\n!3"},
	{
		"code", "## 1. A\n```\n## 2. B\n- [ ] b\n```\n~~~~\n## 3. C\n~~~\n- [ ] c\n~~~~\n- [ ] d",
		"1|A [ ]1.1:b [ ]1.2:c [ ]1.3:d",
	},
	{"code without end", "## 1. A\n```\n## 2. B\n- [ ] b\n~~~\n## 3. C\n~~~\n- [ ] c", "1|A\n" +
		"2|B [ ]2.1:b [ ]2.2:c"},
	{"before all headings", "- [ ] z\n## 1. A\n- [ ] a", "tasks|Tasks [ ]tasks.1:z\n1|A [ ]1.1:a"},
	{
		"no headings", "# T\n- [ ] 1.1 a\n  - [x] b\n    - [ ] c\n- [ ] d\n\n- plain\n  - [ ] e",
		"1.1|a [ ]1.1:a [x]>1.1.1:b [ ]>>1.1.2:c\n2|d [ ]2:d\n3|e [ ]>3:e",
	},
	{"headings without tasks", "## 1. A\n## Notes\n## 2. B\n- [ ] b\n## More", "1|A\n2|B [ ]2.1:b"},
	{"only headings without tasks", "## 1. A\n## Notes\n", "1|A"},
	{
		"ids of tasks", "## 1. A\n- [ ] 1.2. a\n- [ ] 1.3) b\n- [ ] T001 c\n- [ ] ABC-12 d\n- [ ] 4. e\n" +
			"- [ ] 3 retries\n" +
			"- [ ] **1.7** g\n- [ ] **1.8 h**\n- [ ] `1.9`: i\n- [ ] 1.10: - j\n- [ ] 1.11\n- [ ] S3 k\n" +
			"- [ ] 1.12 - l",
		"1|A [ ]1.2:a [ ]1.3:b [ ]T001:c [ ]ABC-12:d [ ]4:e [ ]1.6:3 retries [ ]1.7:g [ ]1.8:**h** [ ]1.9:i " +
			"[ ]1.10:j [ ]1.11: [ ]1.13:S3 k [ ]1.12:l",
	},
	{
		"ids twice", "## 1. A\n- [ ] T1 a\n- [ ] T1 b\n## 1. B\n- [ ] T1-2 c\n- [ ] T1 d\n## X\n- [ ] e\n## X\n" +
			"- [ ] f",
		"1|A [ ]T1:a [ ]T1-3:b\n1-2|B [ ]T1-2:c [ ]T1-4:d\nx|X [ ]x.1:e\nx-2|X [ ]x-2.1:f\n!3\n!4\n!6",
	},
	{
		"ids from places do not collide", "## 1. A\n- [ ] a\n- [ ] 1.1 b\n- [ ] c",
		"1|A [ ]1.2:a [ ]1.1:b [ ]1.3:c",
	},
	{"a story named like the first", "- [ ] a\n## Tasks\n- [ ] b", "tasks|Tasks [ ]tasks.1:a\n" +
		"tasks-2|Tasks [ ]tasks-2.1:b"},
	{
		"dependencies", "## 1. A\n- [ ] a\n## 2. B (depends on 1)\n- [ ] b\n## 3. C (after 1, 2)\n- [ ] c\n" +
			"## 4. D\n" +
			"- **Depends on:** 1 and story 3\n- [ ] 4.1 d\n## 5. E\nDEPENDS ON: 4.1; #2, none\n- [ ] e\n## F\n" +
			"*Depends on*: nothing\n- [ ] f\n" +
			"## G (after the launch)\nDepends on: F\n- [ ] g\n  - depends on: 1",
		"1|A [ ]1.1:a\n2|B <1> [ ]2.1:b\n3|C <1,2> [ ]3.1:c\n4|D <1,3> [ ]4.1:d\n5|E <4,2> [ ]5.1:e\n" +
			"f|F [ ]f.1:f\n" +
			"g-after-the-launch|G (after the launch) <f> [ ]g-after-the-launch.1:g",
	},
	{
		"dependencies on nothing known", "## 1. A (after 9)\n- [ ] a\n## 2. B\nDepends on: 1, 7\n- [ ] b",
		"1|A [ ]1.1:a\n2|B <1> [ ]2.1:b\n!1\n!4",
	},
	{
		"dependencies of a list", "- [ ] T1 a\n- [ ] T2 b (after T1)\n- [ ] T3 c\n  - depends on: T1, T2",
		"T1|a [ ]T1:a\nT2|b <T1> [ ]T2:b (after T1)\nT3|c <T1,T2> [ ]T3:c",
	},
	{"what looks like a task", "## 1. A\n- [WIP] x\n[ ] x\n• [ ] x\n> - [ ] x\n- ☐ x\n- ( ) x\n- [ x\n- [ ]\n" +
		"[1] foot\n- [see it](x)\n- [a b]: x\n`[ ]`\n- [ ] 1.1 y", "1|A [ ]1.2: [ ]1.1:y\n!2\n!3\n!4\n!5\n!6\n" +
		"!7\n!8\n!9"},
	{"what looks like a story", "## . T\n- [ ] a\n##2. U\n- [ ] b", "t|T [ ]t.1:a [ ]t.2:b\n!1\n!3"},
}

func TestParse(t *testing.T) {
	for _, c := range parseCases {
		t.Run(c.name, func(t *testing.T) {
			stories, dropped := story.Parse([]byte(c.text))
			if got := outline(stories, dropped); got != c.want {
				t.Errorf("%q\n got:\n%s\nwant:\n%s\n%v", c.text, got, c.want, dropped)
			}
		})
	}
}
