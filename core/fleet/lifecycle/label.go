package lifecycle

import (
	"context"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/panetag"
	"cupola/core/fleet/resolve"
)

// LabelRequest asks to label agents with a word of the user's. An empty Label removes the label.
type LabelRequest struct {
	Target resolve.Target
	Label  string
	// OnLimit says how the agents react to limits from now on; if it is not empty, their labels stay as they are.
	OnLimit core.OnLimit
	DryRun  bool
}

// Labelled is the result for one agent.
type Labelled struct {
	core.SeenPane
	Before, After string
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

// Set sets or removes the label of the agents that a target names.
func (l *Labels) Set(ctx context.Context, request LabelRequest) (_ []Labelled, err error) {
	defer func() { err = fault.Wrap("label", err) }()
	if err := core.CheckLabel(request.Label); err != nil {
		return nil, err
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
		tag := engine.Tag{Pane: pane.ID, Name: engine.TagLabel, Value: request.Label}
		after := request.Label
		if request.OnLimit != "" {
			after = pane.Agent.Label
			tag.Name, tag.Value = engine.TagContinue, panetag.EncodeContinuation(
				core.Continuation{Wanted: request.OnLimit == core.ContinueAtLimit})
		}
		labelled = append(labelled, Labelled{pane.Seen(), pane.Agent.Label, after})
		tags = append(tags, tag)
	}
	if request.DryRun {
		return labelled, nil
	}
	return labelled, l.engine.Tag(ctx, tags...)
}
