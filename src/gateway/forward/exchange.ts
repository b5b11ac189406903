// A request that may go on, where its answer goes, and what it holds meanwhile.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { BodyHold } from '../../http/requests/body-budget.js'
import type { RequestContext } from '../../http/requests/request-context.js'
import type { Passage } from '../admit.js'
import type { Sender, Tally } from '../upstreams/callers.js'
import type { Place } from '../upstreams/room.js'
import type { AnswerRewrite } from './answer-rewrite.js'

export interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  facts: RequestContext
  passage: Passage
  /** Memory for its body. */
  hold: BodyHold | undefined
  /** Its place at the upstream. */
  place: Place | undefined
  /** Where all that its caller has under way is counted. */
  tally: Tally | undefined
  /** What becomes of the body of its answer; undefined: it passes as it comes. */
  rewrite: AnswerRewrite | undefined
  /** Of the body of the server's answer, as far as the client got it. */
  answerBytes: number
  /** The same of its application, whose plan bounds it. */
  planTally: Tally | undefined
}

/** Whose request it is. */
export function senderOf({ passage, facts }: Exchange): Sender {
  return { principal: passage.principal, address: facts.address }
}

/** Gives back what the request holds, when it is over or refused; once is enough. */
export function letGo(exchange: Exchange): void {
  exchange.place?.leave()
  exchange.hold?.release()
  if (exchange.tally !== undefined) exchange.tally.underWay -= 1
  if (exchange.planTally !== undefined) exchange.planTally.underWay -= 1
  exchange.planTally = undefined
  exchange.place = undefined
  exchange.hold = undefined
  exchange.tally = undefined
}
