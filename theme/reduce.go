package theme

// Colour values are 0xRRGGBB, and palette indices count from 0: 16 of the
// terminal's own, a cube of six steps a side, 24 greys.

var cubeSteps = [6]int{0, 95, 135, 175, 215, 255}

// basics is what the sixteen colours commonly are; a terminal may differ.
var basics = [16]uint32{
	0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
	0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
}

// nearestIndexed returns the entry of the fixed part of the 256-colour palette that is
// nearest to a colour: 16 to 255.
func nearestIndexed(rgb uint32) uint8 {
	step := func(v int) int {
		best := 0
		for i, s := range cubeSteps {
			if abs(v-s) < abs(v-cubeSteps[best]) {
				best = i
			}
		}
		return best
	}
	r, g, b := int(rgb>>16&0xff), int(rgb>>8&0xff), int(rgb&0xff)
	cube := 16 + 36*step(r) + 6*step(g) + step(b)
	grey := 232 + min(23, max(0, ((r+g+b)/3-3)/10))
	if distance(rgb, ofIndex(uint8(grey))) < distance(rgb, ofIndex(uint8(cube))) {
		return uint8(grey)
	}
	return uint8(cube)
}

// nearestBasic returns the nearest of the sixteen colours.
func nearestBasic(rgb uint32) uint8 {
	best := 0
	for i, basic := range basics {
		if distance(rgb, basic) < distance(rgb, basics[best]) {
			best = i
		}
	}
	return uint8(best)
}

// ofIndex returns the colour of a palette entry.
func ofIndex(index uint8) uint32 {
	switch i := int(index); {
	case i < 16:
		return basics[i]
	case i < 232:
		i -= 16
		return uint32(cubeSteps[i/36]<<16 | cubeSteps[i/6%6]<<8 | cubeSteps[i%6])
	default:
		grey := uint32(8 + 10*(i-232))
		return grey<<16 | grey<<8 | grey
	}
}

// distance weighs the channels as the eye does, roughly.
func distance(a, b uint32) int {
	r, g, bl := int(a>>16&0xff)-int(b>>16&0xff), int(a>>8&0xff)-int(b>>8&0xff), int(a&0xff)-int(b&0xff)
	return 3*r*r + 4*g*g + 2*bl*bl
}

func abs(v int) int {
	if v < 0 {
		return -v
	}
	return v
}

// ReduceRGB returns the palette index that stands for a colour (0xRRGGBB) at a
// level below True; exact is true where the colour can be shown as it is.
func (l Level) ReduceRGB(rgb uint32) (index uint8, exact bool) {
	switch l {
	case True:
		return 0, true
	case Indexed:
		return nearestIndexed(rgb), false
	default:
		return nearestBasic(rgb), false
	}
}

// ReduceIndex returns the palette index that stands for another at a level. The
// first sixteen are always kept: they are the user's own.
func (l Level) ReduceIndex(index uint8) uint8 {
	if index < 16 || l >= Indexed {
		return index
	}
	return nearestBasic(ofIndex(index))
}
