// The part of the management API that is about consent, as the commands use it.

import type { ConsentAnswer, ConsentBody } from '../../management/consents/consent-schemas.js'
import type { LocalClient } from './local-client.js'

/** The calls about consent. */
export interface ConsentCalls {
  grant(body: ConsentBody<'grant'>): Promise<ConsentAnswer<'consent'>>
  withdraw(body: ConsentBody<'withdraw'>): Promise<ConsentAnswer<'withdrawn'>>
  list(filter: Record<'applicationId' | 'tenantId' | 'userId', string | undefined>): Promise<ConsentAnswer<'consent'>[]>
  requests(filter: Record<'state' | 'tenantId', string | undefined>): Promise<ConsentAnswer<'request'>[]>
  ownRequests(): Promise<ConsentAnswer<'request'>[]>
  takeBack(requestId: string): Promise<unknown>
  decide(requestId: string, decision: 'approve' | 'decline'): Promise<ConsentAnswer<'request'>>
}

/** The calls over `client`. */
export function consentCalls(client: LocalClient): ConsentCalls {
  const call = async <T>(method: string, path: string, body?: unknown) => (await client.call(method, path, body)) as T
  const list = async <T>(path: string, filter: Record<string, string | undefined>) => {
    const given = Object.entries(filter).filter((entry): entry is [string, string] => entry[1] !== undefined)
    return (await call<{ value: T[] }>('GET', `${path}?${new URLSearchParams(given)}`)).value
  }
  return {
    grant: (body) => call('POST', '/consents', body),
    withdraw: (body) => call('POST', '/consents/withdraw', body),
    list: (filter) => list('/consents', filter),
    requests: (filter) => list('/consentRequests', filter),
    ownRequests: () => list('/consentRequests/own', {}),
    takeBack: (requestId) => call('DELETE', `/consentRequests/${encodeURIComponent(requestId)}`),
    decide: (requestId, decision) => call('POST', `/consentRequests/${encodeURIComponent(requestId)}/${decision}`),
  }
}
