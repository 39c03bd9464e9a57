package robot

import (
	"context"

	"cupola/core"
	"cupola/core/verb/advice"
	"cupola/core/verb/registry"
	"cupola/core/verb/render"
)

// Answer is the answer of a call with its frame, as a value of render's model, which the sender encodes.
type Answer struct {
	// Document is the answer or the end of a stream; nil if the stream broke because its reader failed.
	Document render.Object
	// Code is the code of a failure, which is in the document too; empty for a success.
	Code core.Code
}

// Ask calls a verb and returns its answer. It calls each with the lines of a stream, one after another; an error of
// each ends the stream, and the answer has the code IOError and no document.
func (f *Face) Ask(ctx context.Context, verb *registry.Verb, input any, each func(render.Object) error) Answer {
	verb = registry.As(verb, input)
	if err := f.chosen(verb); err != nil {
		return refuse(f, verb, verb.Name, err)
	}
	broken := false
	reply, err := verb.Call(ctx, f.Env, input, func(line any) error {
		value, err := render.Value(line)
		if err != nil {
			return err
		}
		object, _ := value.(render.Object)
		err = each(object)
		broken = broken || err != nil
		return err
	})
	if broken {
		return Answer{Code: core.IOError}
	}
	if err != nil {
		return refuse(f, verb, verb.Name, err)
	}
	reply.Again(formOf(f)...)
	body, err := f.body(verb, reply)
	if err != nil {
		return refuse(f, verb, verb.Name, err)
	}
	if !verb.Streams {
		body = render.Present(body)
	}
	document, err := modelOf(verb, f.success(verb.Name, body, reply))
	if err != nil {
		return refuse(f, verb, verb.Name, err)
	}
	return Answer{Document: document}
}

// Refuse is the answer of a call that failed before its verb ran. Command is the verb's name; it may be empty.
func (f *Face) Refuse(command string, err error) Answer {
	return refuse(f, verbOf(f, command), command, err)
}

func refuse(f *Face, verb *registry.Verb, command string, err error) Answer {
	e := completedBy(f, err)
	document, err := modelOf(verb, f.failure(command, e))
	if err != nil {
		document, _ = modelOf(verb, f.failure(command, unwritten(e, err))) // texts alone can be encoded
	}
	return Answer{Document: document, Code: e.Code}
}

// verbOf returns the verb of a name; nil if there is none.
func verbOf(f *Face, command string) *registry.Verb {
	if catalog := f.Env.Who().Catalog; catalog != nil {
		return catalog.Find(command)
	}
	return nil
}

// completedBy returns an error with its hint, its remedies and the commands that were probably meant.
func completedBy(f *Face, err error) *core.Error {
	e := advice.Complete(err)
	if f.Correct != nil {
		return f.Correct(e)
	}
	if catalog := f.Env.Who().Catalog; catalog != nil {
		return advice.Ready(e, registry.Advice{Catalog: catalog, Robotic: true}.Lines)
	}
	return e
}

// unwritten returns the error that replaces one which cannot be encoded because its details are too large or too deep.
func unwritten(e *core.Error, why error) *core.Error {
	return &core.Error{Code: e.Code, Message: "the details of the failure cannot be written: " + why.Error()}
}

// modelOf returns the frame of a verb's answer as a value of render's model.
func modelOf(verb *registry.Verb, frame render.Object) (render.Object, error) {
	if verb != nil && verb.Streams {
		frame = ended(frame)
	}
	value, err := render.Value(frame)
	if err != nil {
		return nil, core.Errorf(core.InternalError, "the answer cannot be written: %w", err)
	}
	object, _ := value.(render.Object)
	return object, nil
}
