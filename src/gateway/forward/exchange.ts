// A request that may go on, and where its answer goes.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestContext } from '../../http/request-context.js'
import type { Passage } from '../admit.js'

export interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  facts: RequestContext
  passage: Passage
}
