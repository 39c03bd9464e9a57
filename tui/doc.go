// Package tui is the dashboard: live sessions and agents on a terminal. The root model
// routes keys and the mouse to intents, intents to the screen on top and the rest to effect,
// and composes the frame. Update only decides; effect acts; screens draw.
package tui
