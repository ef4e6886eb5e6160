// Written by `ebbing init --agent opencode`; `ebbing init --agent opencode --remove` takes it away.
// Gives the session what ebbing remembers, and ebbing what was said. It runs the command below,
// waits no longer than the limits, and lets nothing that goes wrong reach the session.
import { spawn } from "node:child_process"

const COMMAND = __COMMAND__
const OPTIONS = __OPTIONS__
const LIMITS = { "user-prompt": 6000, stop: 6000, "session-end": 3000 }

function run(hook, event) {
  return new Promise((resolve) => {
    let text = ""
    try {
      const child = spawn(COMMAND[0], [...COMMAND.slice(1), "hook", hook, ...OPTIONS], {
        stdio: ["pipe", "pipe", "ignore"],
      })
      const timer = setTimeout(() => {
        child.kill()
        resolve("")
      }, LIMITS[hook])
      child.stdout.setEncoding("utf8")
      child.stdout.on("data", (piece) => (text += piece))
      child.stdin.on("error", () => {})
      child.on("error", () => {
        clearTimeout(timer)
        resolve("")
      })
      child.on("close", () => {
        clearTimeout(timer)
        resolve(text.trim())
      })
      child.stdin.end(JSON.stringify(event))
    } catch {
      resolve("")
    }
  })
}

const saidBy = (parts) =>
  parts
    .filter((part) => part.type === "text" && !part.synthetic && !part.ignored)
    .map((part) => part.text)
    .join("\n")

const called = (part) => ({
  id: part.callID,
  tool: part.tool,
  input: part.state.input,
  output: part.state.output ?? part.state.error ?? "",
  is_failure: part.state.status === "error" || (part.state.metadata?.exit ?? 0) !== 0,
})

export const Ebbing = async ({ client, directory }) => {
  const loaded = Date.now()
  const sent = new Map()
  // What another agent writes to a subagent was not said by the user.
  const subagents = new Set()

  const send = (hook, sessionID, more = {}) =>
    run(hook, { agent: "opencode", session_id: sessionID, cwd: directory, ...more })

  async function stop(sessionID) {
    const answer = await client.session.messages({ path: { id: sessionID } })
    const known = sent.get(sessionID) ?? new Set()
    const fresh = (answer.data ?? []).filter(
      ({ info }) => !known.has(info.id) && (info.role === "user" || info.time.completed),
    )
    const messages = fresh.map(({ info, parts }) => ({
      id: info.id,
      role: info.role,
      text: saidBy(parts),
      time: info.time.created,
    }))
    const calls = fresh
      .filter(({ info }) => info.time.created >= loaded)
      .flatMap(({ parts }) => parts)
      .filter((part) => part.type === "tool" && ["completed", "error"].includes(part.state.status))
      .map(called)
    await send("stop", sessionID, { messages, calls })
    for (const message of messages) known.add(message.id)
    sent.set(sessionID, known)
  }

  return {
    // What is given becomes a part of the user's message, so that it stays where it was said and
    // the provider's cache holds. It is kept as ignored, and so is in no title.
    "chat.message": async ({ sessionID }, { message, parts }) => {
      const last = parts.at(-1)
      if (!last || subagents.has(sessionID)) return
      const block = await send("user-prompt", sessionID, { prompt: saidBy(parts) })
      if (!block) return
      parts.push({
        id: `${last.id}z`,
        sessionID,
        messageID: message.id,
        type: "text",
        text: block,
        synthetic: true,
        ignored: true,
        metadata: { ebbing: true },
      })
    },
    "experimental.chat.messages.transform": async (_, { messages }) => {
      for (const part of messages.flatMap((message) => message.parts)) {
        if (part.metadata?.ebbing) part.ignored = false
      }
    },
    event: async ({ event }) => {
      try {
        if (event.type === "session.created" && event.properties.info?.parentID) {
          subagents.add(event.properties.info.id)
        } else if (event.type === "session.idle" && !subagents.has(event.properties.sessionID)) {
          await stop(event.properties.sessionID)
        } else if (event.type === "session.deleted") {
          await send("session-end", event.properties.info.id)
        }
      } catch {
        // The next turn sends what this one could not.
      }
    },
  }
}
