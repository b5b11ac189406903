// An answer that is not passed as it comes: with other fields, or another body, gathered and written as another one, or passed in parts that are
// changed. Its length is not what its upstream said.

import type { RawFields } from './upstream-events.js'

export interface AnswerRewrite {
  /** The head as it is sent on. */
  fields?(fields: RawFields): RawFields
  body?: BodyRewrite | undefined
}

export interface BodyRewrite {
  /** What becomes of an answer with this head. Throws when it cannot be read: the client gets 502. */
  begin(status: number, fields: RawFields): 'pass' | 'whole' | 'parts'
  /** Whether so many more bytes may be gathered. */
  hasRoom(bytes: number): boolean
  /** The whole body as it is sent; `status` where it is another one. Throws nothing. */
  whole(body: Buffer): { status?: number; body: Buffer }
  /** A part as it is sent; may be empty. Throws when no more can be held: the answer is cut. */
  part(chunk: Buffer): Buffer
  /** What is left at the end. */
  rest(): Buffer
}

/** Fields that say something of the body as it came. */
const ofBody = new Set([
  'content-length',
  'etag',
  'content-md5',
  'digest',
  'repr-digest',
  'content-digest',
  'accept-ranges',
])

/** The head of an answer with another body. */
export function withoutBodyFields(fields: RawFields): RawFields {
  const kept: (Buffer | string)[] = []
  for (let i = 0; i < fields.length; i += 2) {
    const [name = '', value = ''] = [fields[i], fields[i + 1]]
    if (!ofBody.has(String(name).toLowerCase())) kept.push(name, value)
  }
  return kept
}
