package lifecycle

import (
	"context"
	"strconv"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/panetag"
	"cupola/core/fleet/resolve"
)

// LabelRequest asks to set notes of the user about agents. Fields that are nil or empty leave theirs as they are.
type LabelRequest struct {
	Target resolve.Target
	// Label is a word of the user's; an empty one removes the label.
	Label *string
	// OnLimit is the reaction of the agents to limits from now on.
	OnLimit core.OnLimit
	// Pin pins the agents, or unpins them.
	Pin *bool
	// Snooze snoozes them until a time; the zero time wakes them.
	Snooze *time.Time
	DryRun bool
}

// Labelled is the result for one agent.
type Labelled struct {
	core.SeenPane
	Before, After Labelling
}

// Labelling has the notes of the user about an agent. The zero value has none.
type Labelling struct {
	Label   string
	Pinned  bool
	Snoozed time.Time
}

// Labels keeps the labels of agents, as tags of their panes. Its methods may be called concurrently.
type Labels struct {
	engine   engine.Engine
	observer *observe.Observer
	resolver *resolve.Resolver
}

// NewLabels returns the Labels of an engine's panes.
func NewLabels(e engine.Engine, o *observe.Observer, r *resolve.Resolver) *Labels {
	return &Labels{engine: e, observer: o, resolver: r}
}

// Set sets what a request asks for on the agents that its target names.
func (l *Labels) Set(ctx context.Context, request LabelRequest) (_ []Labelled, err error) {
	defer func() { err = fault.Wrap("label", err) }()
	if request.Label != nil {
		if err := core.CheckLabel(*request.Label); err != nil {
			return nil, err
		}
	}
	seen, err := l.observer.Outline(ctx, observe.View{})
	if err != nil {
		return nil, err
	}
	panes, err := l.resolver.Resolve(seen.Snapshot, request.Target.ForPrompts())
	if err != nil {
		return nil, err
	}
	var tags []engine.Tag
	var labelled []Labelled
	for _, pane := range panes {
		agent := &pane.Agent
		before := Labelling{agent.Label, agent.Pinned, agent.Snoozed}
		after, values := request.apply(before)
		labelled = append(labelled, Labelled{pane.Seen(), before, after})
		for name, value := range values {
			tags = append(tags, engine.Tag{Pane: pane.ID, Name: name, Value: value})
		}
	}
	if request.DryRun {
		return labelled, nil
	}
	return labelled, l.engine.Tag(ctx, tags...)
}

// apply returns the notes about an agent after the request, and the tags that it sets.
func (r *LabelRequest) apply(noted Labelling) (after Labelling, tags map[string]string) {
	tags = map[string]string{}
	if r.Label != nil {
		noted.Label, tags[engine.TagLabel] = *r.Label, *r.Label
	}
	if r.OnLimit != "" {
		tags[engine.TagContinue] = panetag.EncodeContinuation(
			core.Continuation{Wanted: r.OnLimit == core.ContinueAtLimit})
	}
	if r.Pin != nil {
		noted.Pinned, tags[engine.TagPinned] = *r.Pin, ""
		if noted.Pinned {
			tags[engine.TagPinned] = "1"
		}
	}
	if r.Snooze != nil {
		noted.Snoozed, tags[engine.TagSnoozed] = *r.Snooze, ""
		if !noted.Snoozed.IsZero() {
			tags[engine.TagSnoozed] = strconv.FormatInt(noted.Snoozed.UnixMilli(), 10)
		}
	}
	return noted, tags
}
