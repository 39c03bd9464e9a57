package tui

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"cupola/theme"
)

// reached are the names of the scenarios in order.
var reached = slices.Sorted(maps.Keys(scenarios))

// The sizes in pairs: the least and the most that the layout distinguishes, those beside its limits, and the usual
// ones. Their numbers have no common divisor, so that a walk over both meets every pair.
var (
	pairedWidths  = []int{20, 27, 39, 40, 59, 60, 79, 80, 100, 140, 200}
	pairedHeights = []int{4, 5, 7, 10, 12, 16, 24, 40, 60}
)

// The looks: those that draw in other signs or leave some out, and those that differ in colours alone.
var (
	signs  = []*theme.Theme{themeOf(theme.None), themeOf(theme.Plain), theme.New(theme.Options{ASCII: true})}
	lights = []*theme.Theme{
		themeOf(theme.True), theme.New(theme.Options{Level: theme.True, Light: true}), themeOf(theme.Indexed),
	}
)

// TestEveryScreenFitsEveryPairOfSizes draws every screen in every width, in every height and in every look, and every
// width with every height: each pair of them once at least, not each of the million ways in which they can meet.
func TestEveryScreenFitsEveryPairOfSizes(t *testing.T) {
	met := map[[2]int]bool{}
	for i, name := range reached {
		s := newHarness(t, theme.None, 80, 24)
		scenarios[name](s)
		heights := map[int]bool{}
		for j, w := range pairedWidths {
			h := pairedHeights[(i+j)%len(pairedHeights)]
			met[[2]int{w, h}], heights[h] = true, true
			s.model.world.Theme = signs[(i+j)%len(signs)]
			s.resize(w, h)
			s.exact()
		}
		if len(heights) < len(pairedHeights) {
			t.Errorf("%s was drawn in %d heights", name, len(heights))
		}
		s.resize(100, 30)
		says := ""
		for _, light := range lights {
			s.model.world.Theme = light
			drawFrame(s.model)
			s.exact()
			text := ansi.Strip(strings.Join(s.model.shown.Lines, "\n"))
			if says == "" {
				says = text
			}
			if text != says {
				t.Errorf("%s says something else in another light:\n%s\n\n%s", name, text, says)
			}
		}
	}
	if want := len(pairedWidths) * len(pairedHeights); len(met) != want {
		t.Errorf("%d of %d pairs of sizes were drawn", len(met), want)
	}
}

// FuzzScreenFitsDisplay draws any screen in any size, and then in another.
func FuzzScreenFitsDisplay(f *testing.F) {
	f.Add("tree", uint8(20), uint8(4), uint8(200), uint8(60))
	f.Add("grid-all", uint8(100), uint8(40), uint8(33), uint8(9))
	f.Add("spawn", uint8(255), uint8(255), uint8(21), uint8(5))
	f.Add("crews-matrix", uint8(0), uint8(0), uint8(61), uint8(13))
	f.Add("stories-changed", uint8(140), uint8(40), uint8(1), uint8(1))
	f.Fuzz(func(t *testing.T, name string, w, h, w2, h2 uint8) {
		if scenarios[name] == nil {
			name = reached[len(name)%len(reached)]
		}
		s := newHarness(t, theme.None, 80, 24)
		scenarios[name](s)
		for _, size := range [][2]uint8{{w, h}, {w2, h2}} {
			s.resize(int(size[0]), int(size[1]))
			s.exact()
		}
	})
}

// TestDeepEveryScreenFitsEveryDisplay draws every screen in every size.
func TestDeepEveryScreenFitsEveryDisplay(t *testing.T) {
	if os.Getenv("CUPOLA_DEEP") == "" {
		t.Skip("CUPOLA_DEEP is not set")
	}
	for _, name := range reached {
		t.Run(name, func(t *testing.T) {
			s := newHarness(t, theme.None, 80, 24)
			scenarios[name](s)
			for w := 20; w <= 100; w++ {
				for h := 4; h <= 40; h++ {
					s.resize(w, h)
					s.exact()
				}
			}
		})
	}
}

// TestTabsPromiseWhatTheirKeysDo presses two of the digits on every screen, over all screens each of them: one is drawn
// as a key where it opens its screen, and only there.
func TestTabsPromiseWhatTheirKeysDo(t *testing.T) {
	asKey := themeOf(theme.True).Style(theme.Accent)
	both := map[bool]int{}
	for i, name := range reached {
		for _, digit := range []rune{'1' + rune(i%9), '1' + rune((i+4)%9)} {
			s := newHarness(t, theme.True, 140, 40)
			scenarios[name](s)
			if s.model.takesText() {
				break
			}
			if s.model.stack[len(s.model.stack)-1].entry.Key == string(digit) {
				continue
			}
			drawn := strings.Contains(s.model.shown.Lines[1], asKey.Render(string(digit)))
			s.press(string(digit))
			opens := s.model.stack[len(s.model.stack)-1].entry.Key == string(digit)
			both[opens]++
			if drawn != opens {
				t.Errorf("%s: %c is drawn as a key: %v; it opens its screen: %v", name, digit, drawn, opens)
			}
		}
	}
	if both[true] == 0 || both[false] == 0 {
		t.Errorf("opened: %v", both)
	}
}

// TestNoEmptyScreenIsCut reads what screens say where there is nothing to show: all of it has room, however narrow the
// display is.
func TestNoEmptyScreenIsCut(t *testing.T) {
	for _, name := range []string{
		"tree-nothing", "worktrees-none", "usage-none", "runs-none", "runs-nothing", "changes-none", "search-none",
		"todo-none", "inbox-nobody", "alerts-none", "no-server", "no-session",
	} {
		s := newHarness(t, theme.None, 200, 60)
		scenarios[name](s)
		for _, w := range []int{200, 60, 45, 38} {
			s.resize(w, 60)
			for _, line := range s.model.shown.Lines[3 : len(s.model.shown.Lines)-1] { // below the screen's title
				if text := strings.TrimRight(ansi.Strip(line), " "); strings.HasSuffix(text, "…") {
					t.Errorf("%s, %d columns: %q", name, w, text)
				}
			}
		}
	}
}
