// Package tui is the dashboard: sessions and agents live, on a terminal. The
// root model routes keys and the mouse to intents, intents to the screen on top
// and what is left to effect, and composes the frame. Update only decides;
// effect acts; screens draw.
package tui
