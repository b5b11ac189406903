// A line for each call of a tool, prompt or resource, on routes that say `audit`: who called what, by which agent, and how
// it ended. Of the arguments there is a digest, by which two calls are found to be the same; never they themselves, and
// nothing of results.

import type { FastifyBaseLogger } from 'fastify'
import { canonicalDigest } from '../../mcp/canonical-json.js'
import { maskedJson } from '../../mcp/masked-json.js'
import type { Params } from '../../mcp/message.js'
import type { Exchange } from '../forward/exchange.js'

export interface AuditedCall {
  params: Params
  /** Bytes of the message. */
  requestBytes: number
  /** Whether the arguments are shown too, with all values masked. */
  isMasked: boolean
}

/** Writes the line when the answer has closed, by whichever side it came. */
export function auditCall(
  log: Pick<FastifyBaseLogger, 'info'>,
  exchange: Exchange,
  { params, requestBytes, isMasked }: AuditedCall,
): void {
  const { facts, passage, response } = exchange
  const { principal } = passage
  const given = argumentsOf(params)
  const about = {
    requestId: facts.requestId,
    tenantId: principal?.tenantId,
    applicationId: principal?.applicationId,
    userId: principal?.kind === 'delegated' ? principal.userId : undefined,
    argumentsDigest: canonicalDigest(given),
    ...(isMasked ? { maskedArguments: maskedJson(given) } : {}),
    requestBytes,
  }
  response.once('close', () => {
    const { route, operation, reason } = facts.entry
    log.info(
      {
        ...about,
        route,
        operation,
        status: response.statusCode,
        reason,
        answerBytes: exchange.answerBytes,
        durationMs: Math.round(performance.now() - facts.startedAt),
      },
      'mcp call',
    )
  })
}

/** What a call is about besides its name: `arguments`, or all of `params` but what is said of the call itself. */
function argumentsOf({ name: _name, _meta, arguments: given, ...others }: Params): unknown {
  return given === undefined ? others : given
}
