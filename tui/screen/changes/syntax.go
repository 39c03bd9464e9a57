package changes

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"cupola/theme"
)

// language describes how a language is written: enough to distinguish its words, texts and comments in a part of a
// file. A library that knows more (chroma, 2.24) takes 16 ms to start, in every call of the program.
type language struct {
	// comment begins a comment up to the end of the line, open and close enclose one; empty for none.
	comment     []string
	open, close string
	// quotes begin and end texts.
	quotes string
	// words have a meaning of their own; anyCase lets them be written in capital letters too.
	words   []string
	anyCase bool
}

var (
	curly = language{
		comment: []string{"//"}, open: "/*", close: "*/", quotes: "\"'`",
		words: strings.Fields(`abstract as async await bool boolean break byte case catch chan char class const continue
			crate default defer def delete do double dyn else enum export extends extern fallthrough false final finally
			float fn for from func function go goto if impl implements import in instanceof int interface internal is
			lateinit let long loop map match mod mut namespace new nil null object of operator out override package
			private protected pub public range readonly ref return select self short static string struct super switch
			template this throw throws trait true try type typedef typeof uint union unsafe unsigned use using val var
			virtual void volatile when where while with yield`),
	}
	// rust has lifetimes, which begin with a single quote and do not end with one.
	rust = language{comment: curly.comment, open: curly.open, close: curly.close, quotes: "\"", words: curly.words}
	hash = language{
		comment: []string{"#"}, quotes: "\"'",
		words: strings.Fields(`alias and as assert async await begin break case class continue declare def del do done
			elif else elsif end ensure esac except exit export false False finally fi for from function global if import
			in is lambda let local module next nil None nonlocal not null or pass raise readonly rescue return select self
			set shift source super then true True try undef unless unset until var when while with yield FROM RUN CMD
			COPY ENV ARG ADD EXPOSE ENTRYPOINT WORKDIR USER VOLUME LABEL`),
	}
	dashes = language{
		anyCase: true, comment: []string{"--"},
		open:   "/*",
		close:  "*/",
		quotes: "\"'",
		words: strings.Fields(
			`add all alter and as asc begin between by case column commit constraint create cross default
			delete desc distinct do drop else elseif end exists false for foreign from full function group having if in
			index inner insert integer into is join key left let like limit local module nil not null of offset on or
			order outer primary references repeat replace return right select set table text then true union unique until
			update using values view when where while with`,
		),
	}
	markup = language{open: "<!--", close: "-->", quotes: "\""}
	data   = language{quotes: "\"", words: []string{"true", "false", "null"}}
	style  = language{open: "/*", close: "*/", quotes: "\"'"}
	lisp   = language{comment: []string{";"}, quotes: "\""}
)

// languages are the languages by the endings of file names, and by whole names.
var languages = byName(map[*language]string{
	&curly: `.go .c .h .cc .cpp .cxx .hpp .m .mm .java .js .jsx .mjs .cjs .ts .tsx .swift .kt .kts .cs .scala .dart
		.php .proto .zig .groovy .gradle .sol .v .jsonc`,
	&hash: `.py .pyi .rb .sh .bash .zsh .fish .yaml .yml .toml .mk .pl .pm .r .tf .hcl .cfg .conf .ini .nix .ex .exs .jl
		.ps1 .cmake makefile dockerfile justfile`,
	&rust:   ".rs",
	&dashes: ".sql .lua .hs .elm .ada .vhdl",
	&markup: ".html .htm .xml .svg .vue .svelte .md",
	&data:   ".json .jsonl .ipynb",
	&style:  ".css .scss .less",
	&lisp:   ".lisp .clj .cljs .scm .el .edn .rkt .asm",
})

func byName(names map[*language]string) map[string]*language {
	found := map[string]*language{}
	for known, all := range names {
		for _, name := range strings.Fields(all) {
			found[name] = known
		}
	}
	return found
}

// languageOf is the language of a file; nil if it is not known.
func languageOf(file string) *language {
	base := strings.ToLower(path.Base(file))
	if known := languages[base]; known != nil {
		return known
	}
	return languages[path.Ext(base)]
}

// part is a part of a line with its meaning.
type part struct {
	token theme.Token
	text  string
}

// parts divides a line. within says whether the line begins in a comment, still whether it ends in one.
func (l *language) parts(line string, within bool) (found []part, still bool) {
	plain := 0
	flush := func(end int) {
		if end > plain {
			found = append(found, part{theme.Text, line[plain:end]})
		}
	}
	for at := 0; at < len(line); {
		token, end := l.next(line, at, within)
		if token == theme.Text {
			at = end
			continue
		}
		flush(at)
		found = append(found, part{token, line[at:end]})
		if token == theme.Dim && l.open != "" {
			within = !strings.HasSuffix(line[at:end], l.close) && (within || strings.HasPrefix(line[at:], l.open))
		}
		at, plain = end, end
	}
	flush(len(line))
	return found, within
}

// next returns the token that starts at a byte of a line, and its end.
func (l *language) next(line string, at int, within bool) (token theme.Token, end int) {
	rest := line[at:]
	if within || l.open != "" && strings.HasPrefix(rest, l.open) {
		from := len(l.open)
		if within {
			from = 0
		}
		if length := strings.Index(rest[min(from, len(rest)):], l.close); length >= 0 {
			return theme.Dim, at + from + length + len(l.close)
		}
		return theme.Dim, len(line)
	}
	for _, mark := range l.comment {
		if strings.HasPrefix(rest, mark) && (mark != "#" || at == 0 || line[at-1] == ' ') {
			return theme.Dim, len(line)
		}
	}
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case strings.ContainsRune(l.quotes, r):
		if end := closing(rest, r); end > 0 {
			return theme.Good, at + end
		}
	case unicode.IsLetter(r) || r == '_':
		end := at + wordEnd(rest)
		if slices.Contains(l.words, line[at:end]) ||
			l == &dashes && slices.Contains(l.words, strings.ToLower(line[at:end])) {
			return theme.Busy, end
		}
		return theme.Text, end
	case unicode.IsDigit(r):
		return theme.Ask, at + wordEnd(rest)
	}
	return theme.Text, at + size
}

// closing is where a text that begins with a quote ends; 0 if it does not end in this line.
func closing(text string, quote rune) int {
	for at := 1; at < len(text); at++ {
		switch {
		case text[at] == '\\' && quote != '`':
			at++
		case text[at] == byte(quote):
			return at + 1
		}
	}
	return 0
}

// wordEnd is how long the word is that begins a text.
func wordEnd(text string) int {
	for at, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' {
			return at
		}
	}
	return len(text)
}
