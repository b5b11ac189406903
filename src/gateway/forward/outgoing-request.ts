// A request as it goes to its upstream, with all that its answer needs.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TokenPrincipal } from '../../access/principal.js'
import type { RequestContext } from '../../http/requests/request-context.js'
import type { TargetRequest } from '../http1/request-head.js'
import type { NoteRefusal } from '../refusal-notes.js'
import type { RoutePlan } from '../routes/snapshot.js'
import type { AnswerRewrite } from './answer-rewrite.js'
import type { Exchange } from './exchange.js'
import type { OpenStreams } from './open-streams.js'
import type { OpenCall } from './reload-check.js'
import type { StreamedBody } from './request-body.js'

export interface Outgoing {
  /** Holds a place at the upstream, which is given back at the end. */
  exchange: Exchange
  request: IncomingMessage
  response: ServerResponse
  facts: RequestContext
  plan: RoutePlan
  principal: TokenPrincipal | undefined
  limitFields: readonly string[]
  body: StreamedBody | undefined
  /** `upgrade`: the protocol that it asks for. */
  dispatch: TargetRequest & { upgrade: 'websocket' | null }
  baseUrl: string
  /** What becomes of the body of its answer; undefined: it passes as it comes. */
  rewrite: AnswerRewrite | undefined
  /** How long the client may leave a full response buffer unread. */
  stallMs: number
  streams: OpenStreams
  call: OpenCall
  onFailure(error: Error): void
  noteRefusal: NoteRefusal
}
