package enginetest

import (
	"encoding/hex"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"cupola/core/engine"
)

// question is one that programs ask their terminal, in their environment or by a sequence.
type question struct {
	// about says what is asked; ask is the sequence, as printf takes it, or a variable such as $TERM.
	about, ask string
	// answer is a pattern for all of the answer; the empty answer is silence.
	answer string
}

// questions are the questions whose answers decide an agent's colours, glyphs and ways of drawing. Silence is allowed
// as an answer only where programs then assume the right one.
var questions = []question{
	{"24 bits of colour", "$COLORTERM", `truecolor`},
	{"at least 256 colours", "$TERM", `(xterm|tmux|screen)-256color`},
	{"a terminal around it", "$WINDOWID$VTE_VERSION$KONSOLE_VERSION$WT_SESSION", ``},
	{"device attributes", `\033[c`, `\x1b\[\?[0-9;]+c`},
	{"secondary device attributes", `\033[>c`, `\x1b\[>84;0;0c`},
	{"name and version", `\033[>q`, `(\x1bP>\|(tmux|cupola)[^\x1b]*\x1b\\)?`},
	{"cursor", `\033[3;4H\033[6n`, `\x1b\[3;4R`},
	{"cursor with page", `\033[?6n`, ``},
	{"rows and columns", `\033[18t`, `\x1b\[8;\d+;\d+t`},
	{"pixels of the window", `\033[14t`, `(\x1b\[4;\d+;\d+t)?`},
	{"title", `\033[21t`, ``},
	{"foreground", `\033]10;?\033\\`, `(\x1b\]10;rgb:[ef][0-9a-f]{3}/[ef][0-9a-f]{3}/[ef][0-9a-f]{3}(\x1b\\|\a))?`},
	{"background", `\033]11;?\033\\`, `(\x1b\]11;rgb:0000/0000/0000(\x1b\\|\a))?`},
	{"a colour of the palette", `\033]4;1;?\033\\`, ``},
	{"capabilities", `\033P+q544e\033\\`, `(\x1bP0\+r[^\x1b]*\x1b\\)?`},
	{"clipboard", `\033]52;c;?\033\\`, ``},
	{"pictures", `\033_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\033\\`, ``},
	{"light or dark", `\033[?996n`, ``},
	{"focus is reported", `\033[?1004h`, `(\x1b\[[IO])?`},
	{"keyboard protocol", `\033[?u`, `(\x1b\[\?0u)?`},
	{"synchronized output", `\033[?2026$p`, `(\x1b\[\?2026;[0-4]\$y)?`},
}

// asker asks the terminal, and writes the answers to a file as hexadecimal numbers, one line each. Terminals answer in
// the order of the questions: that to "are you well", which all know, ends each answer.
const asker = `stty raw -echo min 1 time 0
for ask; do
	case $ask in
	'$'*) eval "printf %s \"$ask\"" | od -An -v -tx1 | tr -d ' \n' >>"$OUT.part" ;;
	*)
		printf "$ask\033[5n"
		got=
		while :; do
			case $got in *1b5b306e) break ;; esac
			got=$got$(dd bs=256 count=1 2>/dev/null | od -An -v -tx1 | tr -d ' \n')
		done
		printf %s "${got%1b5b306e}" >>"$OUT.part"
		;;
	esac
	echo >>"$OUT.part"
done
mv "$OUT.part" "$OUT"
exec sleep 100000
`

var asking = []promise{
	{"programs get the same answers about their terminal", func(t *testing.T, e subject) {
		out := filepath.Join(ShortDir(t), "answers")
		argv := []string{"/bin/sh", "-c", asker, "sh"}
		for _, q := range questions {
			argv = append(argv, q.ask)
		}
		loc := e.create(t, engine.Launch{Session: "s", Env: []string{"OUT=" + out}, Argv: argv})
		Eventually(t, Timeout, func() bool { return readFile(out) != "" },
			func() string { return readFile(out+".part") + e.text(t, loc.Pane) })
		answers := strings.Split(readFile(out), "\n")
		if len(answers) != len(questions)+1 {
			t.Fatalf("%d answers: %q", len(answers), answers)
		}
		for i, q := range questions {
			got, err := hex.DecodeString(answers[i])
			if err != nil || !regexp.MustCompile(fmt.Sprintf("^(?:%s)$", q.answer)).Match(got) {
				t.Errorf("%s: %q, not %s: %v", q.about, got, q.answer, err)
			}
		}
	}},
}
