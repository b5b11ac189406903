// The next step after a refusal.

import t from 'tap'
import { remedySteps } from '../../../src/gateway/explain/remedies.js'

const consentUri = 'https://localhost/adminconsent'

function messagesFor(reason: string): string[] {
  const explanation = {
    decision: { outcome: 'refused', by: 'gate', reason, permission: null },
    requirement: [],
    tokenRefusal: { reason: 'invalid_scope:90094', number: 90_094, consentUri },
    upstream: null,
    caller: { applicationId: 'a', applicationName: 'robot' },
  }
  return remedySteps(explanation as never, undefined).map(({ message, uri }) => `${message} ${uri ?? ''}`)
}

t.test('a path that is not there sends nobody to a consent page', async (t) => {
  t.match(messagesFor('not_found'), [/^No route of the configuration has this path/])
  for (const reason of ['not_found', 'method_not_allowed', 'no_mcp_server']) {
    t.notMatch(messagesFor(reason).join(), consentUri, reason)
  }
  t.match(messagesFor('invalid_scope:90094').join(), consentUri, 'a consent that is missing does')
})
