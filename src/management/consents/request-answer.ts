// A request for consent, as the API answers it.

import type { ConsentRequest } from '../../directory/consents/consent-requests.js'
import type { ConsentAnswer } from './consent-schemas.js'

/** The answer. */
export function requestAnswer(request: ConsentRequest): ConsentAnswer<'request'> {
  const { createdAt, decidedAt, permissions, ...rest } = request
  return {
    ...rest,
    permissions: [...permissions],
    createdAt: new Date(createdAt).toISOString(),
    decidedAt: decidedAt === null ? null : new Date(decidedAt).toISOString(),
  }
}
