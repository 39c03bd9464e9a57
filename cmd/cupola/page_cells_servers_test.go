//go:build servers

package main

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// marked finds the mark that ends the row of the pane's cursor, in the terminal of the open pane: its cell, and how
// many cells its left edge is from the screen's on the display. The cell is -1 while the text before it is not drawn.
const marked = `(text, y) => {
	const { xterm } = document.querySelector(".screen.large").terminal;
	const line = xterm.buffer.active.getLine(xterm.buffer.active.viewportY + y);
	if (!line || line.translateToString(true) !== text) return { Cell: -1, Drawn: -1 };
	let cell = xterm.cols - 1;
	while (cell > 0 && line.getCell(cell).getChars() !== "\u2502") cell--;
	const screen = document.querySelector(".screen.large .xterm-screen");
	const row = document.querySelectorAll(".xterm-rows > div")[y];
	const walk = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
	let left = NaN;
	for (let node = walk.nextNode(); node; node = walk.nextNode()) {
		const at = node.data.lastIndexOf("\u2502");
		if (at < 0) continue;
		const range = document.createRange();
		range.setStart(node, at);
		range.setEnd(node, at + 1);
		left = range.getBoundingClientRect().left;
	}
	const { left: from, width } = screen.getBoundingClientRect();
	return { Cell: cell, Drawn: (left - from) / (width / xterm.cols) };
}`

// TestThePageDrawsCells holds the terminal of a pane to the grid of its terminal server: what follows wide characters,
// pictures and marks is in the same column here and there, and is drawn there.
func TestThePageDrawsCells(t *testing.T) {
	m := newFleetMachine(t)
	server := m.serving("127.0.0.1:0", "--commands")
	b := newBrowser(t)
	b.do(chromedp.EmulateViewport(1440, 900), chromedp.Navigate(server.page))
	b.says("web.1")
	b.open("web.1")
	b.shows("document.querySelector('.screen.large').terminal?.xterm.buffer.active.length > 0")
	b.do(script("window.marked = " + marked))
	for _, text := range []string{
		"┌──┬──┬──┐", "│你│好│世│", "│한글│カナ│ﾊﾝ", "│👍│🚀│🎉│", "a你b👍c", "e\u0301a\u0308o\u0302", "▌█▐░▒▓", "→ ✓ ✗ … ●",
		"日本語のテキストは幅が二倍です", "0123456789",
	} {
		m.tmux.Run("send-keys", "-l", "-t", "web:1", text+"│")
		shows(m, "web:1", text+"│")
		at := strings.Fields(m.tmux.Run("display-message", "-p", "-t", "web:1", "#{cursor_x} #{cursor_y}"))
		column, err := strconv.Atoi(at[0])
		if err != nil {
			t.Fatal(err)
		}
		b.shows(fmt.Sprintf("window.marked(%q, %s).Cell >= 0", text+"│", at[1]))
		got := value(b, chromedp.Evaluate[struct{ Cell, Drawn float64 }](
			fmt.Sprintf("window.marked(%q, %s)", text+"│", at[1])))
		if want := float64(column - 1); got.Cell != want || got.Drawn < want-0.1 || got.Drawn > want+0.1 {
			t.Errorf("%q: what follows is in column %v, drawn at %.2f, not %v", text, got.Cell, got.Drawn, want)
		}
		m.tmux.Run("send-keys", "-t", "web:1", "Enter")
		shows(m, "web:1", text+"│\n"+text+"│")
	}
	b.picture("cells")
	b.quiet()
}
