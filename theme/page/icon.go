package page

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
)

// The colours of the picture.
var (
	iconGround = color.NRGBA{0x12, 0x16, 0x1c, 0xff}
	iconShape  = color.NRGBA{0x7b, 0xd5, 0xdc, 0xff}
)

// iconPoints is how many points of each pixel are looked at, in each direction.
const iconPoints = 4

// Icon draws the picture of the page for home screens as a PNG with a width in pixels: what icon.svg shows, without
// transparent corners, since home screens cut it as they like.
func Icon(size int) []byte {
	picture := image.NewNRGBA(image.Rect(0, 0, size, size))
	for y := range size {
		for x := range size {
			inside := 0
			for i := range iconPoints * iconPoints {
				at := func(pixel, part int) float64 {
					return (float64(pixel) + (float64(part)+0.5)/iconPoints) * 64 / float64(size)
				}
				if inIcon(at(x, i%iconPoints), at(y, i/iconPoints)) {
					inside++
				}
			}
			picture.SetNRGBA(x, y, between(iconGround, iconShape, float64(inside)/(iconPoints*iconPoints)))
		}
	}
	var out bytes.Buffer
	_ = png.Encode(&out, picture) // a buffer takes everything
	return out.Bytes()
}

// inIcon reports whether a point of a square of 64 is in the shape: a dome, its tip, and the line under it.
func inIcon(x, y float64) bool {
	dome := y <= 42 && math.Hypot(x-32, y-42) <= 20
	tip := capsule(x, y, 32, 14, 32, 22)
	line := capsule(x, y, 12, 50, 52, 50)
	return dome || tip || line
}

// capsule reports whether a point is within 2 of a line.
func capsule(x, y, x1, y1, x2, y2 float64) bool {
	along := ((x-x1)*(x2-x1) + (y-y1)*(y2-y1)) / ((x2-x1)*(x2-x1) + (y2-y1)*(y2-y1))
	along = min(1, max(0, along))
	return math.Hypot(x-x1-along*(x2-x1), y-y1-along*(y2-y1)) <= 2
}

func between(a, b color.NRGBA, part float64) color.NRGBA {
	mix := func(from, to uint8) uint8 { return uint8(math.Round(float64(from) + part*(float64(to)-float64(from)))) }
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xff}
}
