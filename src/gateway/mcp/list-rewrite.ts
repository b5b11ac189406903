// What a list shows to a caller. It is a comfort: what is not shown is refused all the same when it is called.

import { createEventRewriter, type EventMemory } from '../../mcp/event-stream.js'
import { type RpcId, rpcCodes, rpcError } from '../../mcp/json-rpc.js'
import type { BodyRewrite } from '../forward/answer-rewrite.js'
import type { RawFields } from '../forward/upstream-events.js'

/** The longest answer to a list, or event of it, bytes. */
const mostBytes = 4 * 1_048_576

/** A media type of one reading: no parameter but UTF-8, which is what is read here. */
const utf8Type = /^((?:[\w.+-]+\/[\w.+-]+)?)\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?;?$/

export interface ListRewriteOptions {
  /** Of the request; null: of none. */
  id: RpcId | null
  /** The text of a message as its reader sees it. Throws SyntaxError; RangeError for what is nested too deeply or read differently. */
  show(text: string): string
  /** Memory of the caller. */
  memory: Required<Pick<EventMemory, 'grow' | 'shrink'>>
}

/** Builds it, for one answer. */
export function createListRewrite({ id, show, memory }: ListRewriteOptions): BodyRewrite {
  let gathered = 0
  const hasRoom = (bytes: number) => {
    gathered += bytes
    return gathered <= mostBytes && memory.grow(bytes)
  }
  const events = createEventRewriter(
    (data) => {
      const changed = shownEvent(data, show)
      return changed === data ? undefined : changed
    },
    { mostBytes, ...memory },
  )
  return {
    begin(status, fields) {
      if (status >= 300 && status <= 399) throw new Error('a list is elsewhere, where nobody looks at it')
      // Clients take a list from any of these.
      if (status < 200 || status > 299) return 'pass'
      const [type = '', ...types] = fieldsOf(fields, 'content-type')
      if (types.length > 0) throw new Error('a list came with more than one type, which clients read differently')
      const mediaType = utf8Type.exec(type)?.[1]
      if (mediaType === undefined) throw new Error('a list came with a type that clients read differently')
      if (fieldsOf(fields, 'content-encoding').some((one) => one !== '' && one !== 'identity'))
        throw new Error('a list came encoded, which nobody requested')
      return mediaType === 'text/event-stream' ? 'parts' : 'whole'
    },
    hasRoom,
    whole(body) {
      if (body.length === 0) return { body }
      const text = tryShown(body.toString(), show)
      if (text !== undefined) return { body: Buffer.from(text) }
      const message = 'The answer of the server cannot be read.'
      return { status: 502, body: Buffer.from(rpcError({ code: rpcCodes.internalError, message }, id)) }
    },
    part: (chunk) => events.push(chunk),
    rest: () => events.end(),
  }
}

/**
 * What is no JSON here goes without its data: to some readers a NaN is a number. Throws RangeError for what is nested
 * too deeply, or is another list to other readers: the answer is cut.
 */
function shownEvent(text: string, show: ListRewriteOptions['show']): string {
  try {
    return show(text)
  } catch (error) {
    if (error instanceof SyntaxError) return ''
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

/** All of that name, in small letters. */
function fieldsOf(fields: RawFields, wanted: string): string[] {
  const values: string[] = []
  for (let i = 0; i < fields.length; i += 2) {
    if (String(fields[i]).toLowerCase() === wanted)
      values.push(
        String(fields[i + 1])
          .trim()
          .toLowerCase(),
      )
  }
  return values
}
