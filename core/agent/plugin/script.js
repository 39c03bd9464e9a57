// Cupola's hooks. "cupola plugin remove KIND" takes them away.
// Folders made: FOLDERS
import { spawn } from "node:child_process"

const command = SELF
const wanted = new Set([EVENTS])

// Cupola is told of one event after another, and never waited for by the agent.
let last = Promise.resolve()
const tell = (event) => {
  last = last.then(() => new Promise((done) => {
    try {
      const hook = spawn(command, ["hook", "KIND", MARK], { stdio: ["pipe", "ignore", "ignore"] })
      hook.on("error", done)
      hook.on("close", done)
      hook.stdin.on("error", () => {})
      hook.stdin.end(JSON.stringify(event))
    } catch {
      done()
    }
  }))
}

export const Cupola = async () => {
  const children = new Set()
  const failed = new Set()
  const states = new Map()

  // News is false for what was said before, and for the idleness that follows an error.
  const news = (type, session, properties) => {
    if (type !== "session.status" && type !== "session.idle") {
      states.delete(session)
      if (type === "session.error") failed.add(session)
      return true
    }
    const state = type === "session.idle" ? "idle" : properties.status?.type
    if (state !== "idle") failed.delete(session)
    if (state === states.get(session) || (state === "idle" && failed.has(session))) return false
    states.set(session, state)
    return true
  }

  return {
    event: async ({ event }) => {
      try {
        if (!wanted.has(event.type)) return
        const properties = event.properties ?? {}
        const session = properties.sessionID ?? properties.info?.id
        if (event.type === "session.created") {
          if (properties.info?.parentID) children.add(session)
          return
        }
        if (!news(event.type, session, properties)) return
        tell(children.has(session) ? { type: event.type, child: true, properties } : { type: event.type, properties })
      } catch {}
    },
  }
}
