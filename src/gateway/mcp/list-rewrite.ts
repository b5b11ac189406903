// What a list shows to a caller. It is a comfort: what is not shown is refused all the same when it is called.

import { createEventRewriter } from '../../mcp/event-stream.js'
import { type RpcId, rpcCodes, rpcError } from '../../mcp/json-rpc.js'
import type { BodyRewrite } from '../forward/answer-rewrite.js'
import type { RawFields } from '../forward/upstream-events.js'

/** The longest answer to a list, or event of it, bytes. */
const mostBytes = 4 * 1_048_576

export interface ListRewriteOptions {
  /** Of the request; null: of none. */
  id: RpcId | null
  /** The text of a message as its reader sees it. Throws SyntaxError; RangeError for what is nested too deeply. */
  show(text: string): string
  /** Sets memory aside for so many bytes; gives whether there is room. */
  grow(bytes: number): boolean
}

/** Builds it, for one answer. */
export function createListRewrite({ id, show, grow }: ListRewriteOptions): BodyRewrite {
  let gathered = 0
  const hasRoom = (bytes: number) => {
    gathered += bytes
    return gathered <= mostBytes && grow(bytes)
  }
  const events = createEventRewriter(
    (data) => {
      const changed = shownEvent(data, show)
      return changed === data ? undefined : changed
    },
    { mostBytes },
  )
  return {
    begin(status, fields) {
      if (status !== 200) return 'pass'
      const type = fieldOf(fields, 'content-type').toLowerCase()
      const encoding = fieldOf(fields, 'content-encoding').toLowerCase()
      if (encoding !== '' && encoding !== 'identity') throw new Error('a list came encoded, which nobody requested')
      if (/^text\/event-stream\b/.test(type)) return 'parts'
      return 'whole'
    },
    hasRoom,
    whole(body) {
      const text = tryShown(body.toString(), show)
      if (text !== undefined) return { body: Buffer.from(text) }
      const message = 'The answer of the server cannot be read.'
      return { status: 502, body: Buffer.from(rpcError({ code: rpcCodes.internalError, message }, id)) }
    },
    part: (chunk) => events.push(chunk),
    rest: () => events.end(),
  }
}

/** What is no JSON is no answer either, for any reader. Throws RangeError for what is nested too deeply: the answer is cut. */
function shownEvent(text: string, show: ListRewriteOptions['show']): string {
  try {
    return show(text)
  } catch (error) {
    if (error instanceof SyntaxError) return text
    throw error
  }
}

function tryShown(text: string, show: ListRewriteOptions['show']): string | undefined {
  try {
    return show(text)
  } catch {
    return undefined
  }
}

function fieldOf(fields: RawFields, wanted: string): string {
  for (let i = 0; i < fields.length; i += 2) {
    if (String(fields[i]).toLowerCase() === wanted) return String(fields[i + 1]).trim()
  }
  return ''
}
