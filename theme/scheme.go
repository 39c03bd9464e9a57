package theme

import (
	"embed"
	"fmt"
	"image/color"
	"path"
	"slices"
	"strconv"
	"strings"

	"cupola/core"

	"github.com/charmbracelet/x/ansi"

	"cupola/core/config/tomlfile"
)

// The schemes that are no file: Calm is the usual one, Mono has no colours.
const (
	Calm = "calm"
	Mono = "mono"
)

//go:embed schemes/*.toml
var schemeFiles embed.FS

// Scheme is a set of colours. The nil value is Calm.
type Scheme struct {
	Name string
	mono bool
	// dark and light are the colours by their names; a missing one is taken from Calm.
	dark, light map[string]shade
}

// schemeText is a scheme as a file: the colours as #rrggbb, by their names, for each background.
type schemeText struct {
	Dark  map[string]string `toml:"dark"`
	Light map[string]string `toml:"light"`
}

// SchemeNames are the schemes that come with the program.
func SchemeNames() []string {
	names := []string{Calm}
	files, err := schemeFiles.ReadDir("schemes")
	if err != nil {
		return names
	}
	for _, file := range files {
		names = append(names, strings.TrimSuffix(file.Name(), ".toml"))
	}
	return append(names, Mono)
}

// FindScheme returns a scheme that comes with the program; ok is false if none has the name.
func FindScheme(name string) (scheme *Scheme, ok bool) {
	switch name {
	case Calm, "":
		return nil, true
	case Mono:
		return &Scheme{Name: Mono, mono: true}, true
	}
	text, err := schemeFiles.ReadFile(path.Join("schemes", name+".toml"))
	if err != nil {
		return nil, false
	}
	scheme, err = ParseScheme(name, string(text))
	return scheme, err == nil
}

// ParseScheme reads a scheme. The error names what is wrong.
func ParseScheme(name, text string) (*Scheme, error) {
	var file schemeText
	meta, err := tomlfile.Parse(text, &file)
	if err != nil {
		return nil, fmt.Errorf("theme %s: %w", name, err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("theme %s: %q is neither dark nor light", name, unknown[0].String())
	}
	s := &Scheme{Name: name}
	if s.dark, err = shades(file.Dark, false); err == nil {
		s.light, err = shades(file.Light, true)
	}
	if err != nil {
		return nil, fmt.Errorf("theme %s: %w", name, err)
	}
	return s, nil
}

// shades reads colours. Terminals of few colours get Calm's, or the nearest.
func shades(texts map[string]string, light bool) (map[string]shade, error) {
	found := map[string]shade{}
	for name, text := range texts {
		usual := slices.IndexFunc(pageShades, func(p pageShade) bool { return p.name == name })
		if usual < 0 {
			return nil, fmt.Errorf("there is no colour %q; there are %s", name, strings.Join(shadeNames(), ", "))
		}
		rgb, err := strconv.ParseUint(strings.TrimPrefix(text, "#"), 16, 32)
		if err != nil || len(text) != len("#rrggbb") || text[0] != '#' {
			return nil, fmt.Errorf("%s is %q, and not #rrggbb", name, text)
		}
		near := ansi.Convert256(color.RGBA{R: uint8(rgb >> 16), G: uint8(rgb >> 8), B: uint8(rgb), A: 0xff})
		found[name] = shade{uint32(rgb), uint8(near), pageShades[usual].on(light).basic}
	}
	return found, nil
}

func shadeNames() []string {
	return core.Map(pageShades, func(p pageShade) string { return p.name })
}

// of returns a colour of the scheme on a background.
func (s *Scheme) of(c colour, light bool) shade {
	if s == nil {
		return c.on(light)
	}
	own := s.dark
	if light {
		own = s.light
	}
	for i := range pageShades {
		if pageShades[i].colour == c {
			if shade, has := own[pageShades[i].name]; has {
				return shade
			}
			break
		}
	}
	return c.on(light)
}
