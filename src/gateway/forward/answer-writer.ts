// The answer of an upstream as it is written to the client: the head, the body at the pace of its reader, and
// the end.

import { endAfterBody, hasUnreadBody } from '../../http/answers/answer-raw.js'
import { endWith } from '../../http/answers/one-write.js'
import { type AnsweredCall, writeAnswerHead } from './answer-head.js'
import { type AnswerRewrite, withoutBodyFields } from './answer-rewrite.js'
import type { AnswerRules } from './headers/response-headers.js'
import { trailersFor } from './headers/response-headers.js'
import type { RawFields } from './upstream-events.js'

/** A class, because it holds how far the answer has come. It is written once, whichever target gave it. */
export class AnswerWriter {
  readonly #call: AnsweredCall
  #hasHead = false
  #hasBody = false
  /** Bytes of the body that are still to come, where the upstream said how many there are. */
  #left: number | undefined
  #resume: (() => void) | undefined
  #stalledAt: number | undefined
  readonly #rewrite: AnswerRewrite | undefined
  /** A head that waits for its body, which is gathered. */
  #held: { status: number; fields: RawFields; since: number; parts: Buffer[] } | undefined
  #isInParts = false

  constructor(call: AnsweredCall, rewrite?: AnswerRewrite) {
    this.#call = call
    this.#rewrite = rewrite
  }

  /** Whether the client has been told a status: from here on nothing else can be said. */
  get hasBegun(): boolean {
    return this.#hasHead
  }

  /** Since when the client has not taken what it was sent (performance.now()). */
  get stalledAt(): number | undefined {
    return this.#stalledAt
  }

  /**
   * Writes the head; `since` is when the request came to be relayed. `resume` asks for more after `write` has said no.
   * Throws for a field that Node refuses to write, which is an error of the request: nothing has been said then.
   */
  begin(status: number, came: RawFields, since: number, resume?: () => void): void {
    this.#resume = resume
    const becomes = this.#rewrite?.body?.begin(status, came) ?? 'pass'
    const fields = this.#rewrite?.fields?.(came) ?? came
    if (becomes === 'whole') {
      this.#held = { status, fields: withoutBodyFields(fields), since, parts: [] }
      return
    }
    this.#isInParts = becomes === 'parts'
    this.#left = writeAnswerHead(this.#call, status, this.#isInParts ? withoutBodyFields(fields) : fields, since)
    this.#hasHead = true
  }

  /** Sends a head by itself whose body waits. */
  flush(): void {
    if (this.#hasHead && !this.#hasBody) this.#call.response.flushHeaders()
  }

  /**
   * Counts a part of the body. Gives whether it is the last one, and the request has been read too: then `endWith` it.
   */
  isLast(chunk: Buffer): boolean {
    this.#hasBody = true
    if (this.#left === undefined) return false
    this.#left -= chunk.length
    return this.#left === 0 && this.#call.request.complete
  }

  /** Writes a part of the body, of which it keeps nothing; gives whether the client takes more now. */
  write(chunk: Buffer): boolean {
    if (this.#held !== undefined) return this.#gather(this.#held.parts, chunk)
    const part =
      this.#isInParts && this.#rewrite?.body !== undefined ? this.#rewrite.body.part(chunk) : Buffer.from(chunk)
    return part.length === 0 || this.#send(part)
  }

  #gather(parts: Buffer[], chunk: Buffer): boolean {
    if (this.#rewrite?.body?.hasRoom(chunk.length) !== true) throw new Error('the answer is too large to be rewritten')
    parts.push(Buffer.from(chunk))
    return true
  }

  #send(part: Buffer): boolean {
    const { response, exchange } = this.#call
    exchange.answerBytes += part.length
    if (response.write(part)) return true
    this.#stalledAt = performance.now()
    response.once('drain', () => {
      this.#stalledAt = undefined
      this.#resume?.()
    })
    return false
  }

  /** Keeps nothing of `chunk`. */
  endWith(chunk: Buffer): void {
    this.#call.exchange.answerBytes += chunk.length
    endWith(this.#call.response, chunk)
  }

  /** Ends the answer; of `trailers` those that `rules` let cross. */
  end(trailers: RawFields | null, rules: AnswerRules | undefined): void {
    const { request, response } = this.#call
    this.#hasBody = true
    if (this.#held !== undefined) {
      this.#endWhole(this.#held)
      return
    }
    const rest = this.#isInParts ? this.#rewrite?.body?.rest() : undefined
    if (rest !== undefined && rest.length > 0) this.#send(rest)
    const passed = trailersFor(trailers, rules)
    if (passed.length > 0) response.addTrailers(passed)
    if (hasUnreadBody(request)) endAfterBody(request, response, '')
    else response.end()
  }

  #endWhole({
    status,
    fields,
    since,
    parts,
  }: {
    status: number
    fields: RawFields
    since: number
    parts: Buffer[]
  }): void {
    const { response } = this.#call
    const gathered = Buffer.concat(parts)
    const sent = this.#rewrite?.body?.whole(gathered) ?? { body: gathered }
    const withLength = [...fields, 'content-length', String(sent.body.length)]
    writeAnswerHead(this.#call, sent.status ?? status, withLength, since)
    this.#hasHead = true
    this.#call.exchange.answerBytes += sent.body.length
    response.end(sent.body)
  }
}
