package house

import "regexp"

// stylePackages are the packages that make a style or a colour.
var stylePackages = []string{
	"github.com/charmbracelet/lipgloss", "github.com/charmbracelet/colorprofile", "github.com/fatih/color",
	"github.com/lucasb-eyer/go-colorful", "github.com/muesli/termenv", "image/color",
}

const ansiPath = "github.com/charmbracelet/x/ansi"

// ansiStyles are the names in x/ansi that make a style or a colour.
var ansiStyles = []string{
	"BasicColor", "ExtendedColor", "HexColor", "IndexedColor", "NewStyle", "RGBColor", "SGR",
	"SelectGraphicRendition", "Style", "Styled", "TrueColor",
}

var (
	hexColour = regexp.MustCompile(`^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$`)
	sgrEscape = regexp.MustCompile("\x1b\\[[0-9;:]*m")
)

// style allows styles and colours in theme only. Tests may compare escapes, but build none.
func style(m *module) (seen int, faults []fault) {
	for _, s := range m.files {
		if within(s.dir, "theme") {
			continue
		}
		seen++
		for _, spec := range s.ast.Imports {
			if path := unquoted(spec.Path); withinAny(path, stylePackages...) {
				faults = append(faults, s.fault(spec, "imports "+path+"; only theme builds styles"))
			}
		}
		for _, n := range uses(s, ansiPath, ansiStyles, nil) {
			faults = append(faults, s.fault(n, "builds a style; only theme does"))
		}
		if s.test {
			continue
		}
		for _, lit := range literals(s) {
			switch {
			case hexColour.MatchString(lit.value):
				faults = append(faults, s.fault(lit.node, "names a colour; only theme does"))
			case sgrEscape.MatchString(lit.value):
				faults = append(faults, s.fault(lit.node, "writes a style escape; only theme does"))
			}
		}
	}
	return seen, faults
}

// measuringPackages are packages that measure text by tables of their own.
var measuringPackages = []string{
	"github.com/clipperhouse/displaywidth", "github.com/clipperhouse/uax29", "github.com/mattn/go-runewidth",
	"github.com/rivo/uniseg", "github.com/muesli/reflow", "golang.org/x/text/width",
}

// ansiMeasures are the names in x/ansi that measure text, or cut it by a measure.
var ansiMeasures = []string{
	"Cut", "DecodeSequence", "FirstGraphemeCluster", "GraphemeWidth", "Hardwrap", "StringWidth", "Strip", "Truncate",
	"TruncateLeft", "WcWidth", "Wordwrap", "Wrap",
}

// measures allows the measuring of text in core/term/cells only. Tests may use other measures.
func measures(m *module) (seen int, faults []fault) {
	for _, s := range m.files {
		if s.test || within(s.dir, "core/term/cells") {
			continue
		}
		seen++
		for _, spec := range s.ast.Imports {
			if path := unquoted(spec.Path); withinAny(path, measuringPackages...) {
				faults = append(faults, s.fault(spec, "imports "+path+"; only core/term/cells measures text"))
			}
		}
		for _, n := range uses(s, ansiPath, ansiMeasures, nil) {
			faults = append(faults, s.fault(n, "measures or cleans text; only core/term/cells does"))
		}
	}
	return seen, faults
}
