// Which events there are, from which rows of the ledger they come, and what of a row they tell: identifiers, and what
// kind of thing happened. No names, no addresses, no texts that people wrote: a receiver that may know more asks the
// API.

import type { LedgerRow } from '../storage/sql/ledger/ledger-head.js'

/** The types, without `portcullis.`, as webhooks ask for them. `test` is sent when somebody asks for it. */
export const eventTypes = [
  'application.registered',
  'application.changed',
  'application.redirect_origin_added',
  'application.permissions_configured',
  'application.enabled',
  'application.disabled',
  'application.revoked',
  'application.deleted',
  'application.restored',
  'application.plan_changed',
  'application.plan_requested',
  'application.plan_declined',
  'client.document_changed',
  'secret.created',
  'secret.expiring',
  'secret.ended',
  'consent.requested',
  'consent.declined',
  'consent.granted',
  'consent.revoked',
  'token.reuse_detected',
  'key.rotated',
  'key.removed',
  'tool.changed',
  'usage.day_ended',
] as const
export type EventType = (typeof eventTypes)[number]

/** What a row of the ledger tells. */
export interface EventData {
  type: EventType
  /** Whose webhooks hear of it; undefined: those of every tenant. */
  tenantId: string | undefined
  /** Where it is the same however often it is told; else every telling has another. */
  id?: string
  /** CloudEvents' `subject`: `applications/<id>`, `keys/<kid>`, `tools/<name>`, `usage/<day>`. */
  subject: string
  data: Readonly<Record<string, unknown>>
}

type Details = Readonly<Record<string, unknown>>
type Source = readonly [type: EventType, more?: (details: Details) => Details]

const federated: Source = ['application.changed', () => ({ changed: ['federatedCredentials'] })]
const secret = ({ keyId, endsAt, days }: Details) => ({
  ...(typeof keyId === 'string' ? { keyId } : {}),
  ...(typeof endsAt === 'number' ? { endsAt: new Date(endsAt).toISOString() } : {}),
  ...(typeof days === 'number' ? { days } : {}),
})
const added = (by: 'administrator' | 'user') => (details: Details) => ({
  by,
  permissions: permissionsIn(details['added']),
})
const removed = (by: 'administrator' | 'user') => (details: Details) => ({
  by,
  permissions: permissionsIn(details['removed']),
})
const requestData = (details: Details) => ({
  ...(typeof details['consentRequest'] === 'string' ? { consentRequestId: details['consentRequest'] } : {}),
  permissions: permissionsIn(details['permissions']),
})
/** Not which numbers: those the API says. */
const planData = ({ plan, overrides }: Details) => ({
  ...(typeof plan === 'object' ? { plan: (plan as { after?: unknown } | null)?.after ?? '' } : {}),
  ...(overrides === undefined ? {} : { overrides: true }),
})
const tool = ({ route, tool: name, held }: Details) => ({ route, tool: name, held })
const key = ({ kid, purpose, alg }: Details) => ({ kid, purpose, alg })
const usage = (details: Details) => {
  const { day, part, parts, allowed, notPermitted, limited, tokenRefused, clientErrors, serverErrors } = details
  const refused = { permission: notPermitted, limit: limited, token: tokenRefused }
  return { day, part, parts, totals: { allowed, refused, errors: { client: clientErrors, server: serverErrors } } }
}

/** Which things of a document became others, of those that a row has. */
function changedIn({ clientId: _id, ...differences }: Details): string[] {
  const isOther = (value: unknown) => {
    const { added, removed } = value as { added?: unknown[]; removed?: unknown[] }
    return added === undefined || removed === undefined || added.length + removed.length > 0
  }
  return Object.keys(differences).filter((name) => isOther(differences[name]))
}

/** By the ledger's event; what is not here is nobody's business outside. */
const sources: Readonly<Record<string, Source>> = {
  'application.registered': ['application.registered', ({ type }) => ({ applicationType: type })],
  'application.redirect-origin-added': ['application.redirect_origin_added', ({ origins }) => ({ origins })],
  'application.changed': ['application.changed', (details) => ({ changed: Object.keys(details) })],
  'federated-credential.added': federated,
  'federated-credential.removed': federated,
  'application.permissions-configured': [
    'application.permissions_configured',
    ({ after }) => ({ permissions: permissionsIn(after) }),
  ],
  'application.enabled': ['application.enabled'],
  'application.disabled': ['application.disabled'],
  'application.revoked': ['application.revoked'],
  'application.deleted': ['application.deleted'],
  'application.restored': ['application.restored', ({ credentials }) => ({ credentials })],
  'application.plan-changed': ['application.plan_changed', planData],
  'application.plan-requested': ['application.plan_requested', ({ plan }) => ({ plan })],
  'application.plan-declined': ['application.plan_declined', ({ plan }) => ({ plan })],
  'client.document-changed': ['client.document_changed', (details) => ({ changed: changedIn(details) })],
  'secret.created': ['secret.created', secret],
  'secret.expiring': ['secret.expiring', secret],
  'secret.ended': ['secret.ended', secret],
  'admin-consent.requested': ['consent.requested', requestData],
  'admin-consent.declined': ['consent.declined', requestData],
  'admin-consent.granted': ['consent.granted', added('administrator')],
  'consent.granted': ['consent.granted', added('user')],
  'admin-consent.withdrawn': ['consent.revoked', removed('administrator')],
  'consent.withdrawn': ['consent.revoked', removed('user')],
  'grant.reuse-detected': ['token.reuse_detected', ({ grant, what }) => ({ grantId: grant, what })],
  'key.activated': ['key.rotated', key],
  'key.removed': ['key.removed', key],
  'tool.changed': ['tool.changed', tool],
  'usage.day-ended': ['usage.day_ended', usage],
}

/** What the row tells; undefined when it is no event. */
export function toEvent(row: LedgerRow): EventData | undefined {
  const source = sources[row.event]
  if (source === undefined) return undefined
  const [type, more] = source
  const details = JSON.parse(row.details) as Details
  // What is about no tenant is only told where it is about the server: its public keys, and tools that change for all.
  const isOfServer = /^(key|tool)\./.test(type)
  if (row.tenant_id === null && !isOfServer) return undefined
  if (type === 'usage.day_ended') return usageEvent(row, details)
  return {
    type,
    tenantId: isOfServer ? undefined : (row.tenant_id ?? undefined),
    subject: isOfServer ? subjectOfServer(details) : `applications/${row.application_id}`,
    data: {
      ...(row.tenant_id === null || isOfServer ? {} : { tenantId: row.tenant_id }),
      ...(row.application_id === null || isOfServer ? {} : { applicationId: row.application_id }),
      // In all other events the person that a row names did it.
      ...(row.user_id === null || !/^(consent|token)\./.test(type) ? {} : { userId: row.user_id }),
      ...more?.(details),
      ...(isOfServer ? {} : { actor: JSON.parse(row.actor) }),
    },
  }
}

function subjectOfServer({ kid, tool: name }: Details): string {
  return typeof kid === 'string' ? `keys/${kid}` : `tools/${encodeURIComponent(String(name))}`
}

/** The lines are read when it is told. */
function usageEvent({ tenant_id }: LedgerRow, details: Details): EventData {
  const tenantId = tenant_id ?? ''
  const { day, part } = details
  return {
    id: `usage-${tenantId}-${String(day)}-${String(part)}`,
    type: 'usage.day_ended',
    tenantId,
    subject: `usage/${String(day)}`,
    data: { tenantId, ...usage(details) },
  }
}

/** References alone, whatever else the ledger keeps with them. */
function permissionsIn(list: unknown): Details[] {
  if (!Array.isArray(list)) return []
  return list.map(({ kind = 'delegated', resource, id }: Details) => ({ kind, resource, id }))
}
