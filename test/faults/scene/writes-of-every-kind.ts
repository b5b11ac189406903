// One write of each kind that there is, each with the way to see afterwards that it is there exactly once.

import { call } from '../../support/cluster/checking-client.js'
import type { Instance, PlainAnswer } from '../../support/cluster/cluster-instance.js'
import type { AcknowledgedWrite } from '../../support/cluster/invariants.js'
import { managed, newToken, type TestApplication } from './provision.js'

/** Rows of a query, as PostgreSQL's superuser. */
export type Query = (sql: string) => Promise<Record<string, unknown>[]>

export interface WriteContext {
  instance: Instance
  query: Query
  tenantId: string
  /** An application of the tenant that may write subscriptions. */
  application: TestApplication
  /** A name that no other write has. */
  name: string
}

/** What an attempt came to: the answer, and when it was a success the write to look for, and its line in the ledger. */
export interface Attempt {
  answer: PlainAnswer
  write: AcknowledgedWrite
  audit?: AcknowledgedWrite
}

export type WriteKind = (context: WriteContext) => Promise<Attempt>

/** By name; each resolves with the answer, whatever it is, and rejects when the connection breaks. */
export const writeKinds: Readonly<Record<string, WriteKind>> = {
  async tenant({ instance, query, name }) {
    const answer = await instance.manage('POST', '/tenants', { name })
    return {
      answer,
      write: writeOf(query, `tenant ${name}`, `tenants where name = '${name}'`),
      audit: auditOf(query, 'tenant.created', `details like '%"${name}"%'`),
    }
  },
  async application({ instance, query, name, tenantId }) {
    const body = { name, type: 'web', tenantId, permissions: [{ kind: 'application', id: 'assets_read' }] }
    const answer = await instance.manage('POST', '/applications', body)
    return {
      answer,
      write: { what: `application ${name}`, count: () => countOf(query, `applications where name = '${name}'`) },
      audit: auditOf(query, 'application.registered', `details like '%"${name}"%'`),
    }
  },
  async secret({ instance, query, name, tenantId }) {
    const applicationId = await bareApplication(instance, tenantId)
    const answer = await instance.manage('POST', `/applications/${applicationId}/secrets`, { label: name })
    return {
      answer,
      write: { what: `secret ${name}`, count: () => countOf(query, `application_secrets where label = '${name}'`) },
    }
  },
  async 'permission and consent'({ instance, query, tenantId, name }) {
    const applicationId = await bareApplication(instance, tenantId)
    const permissions = [{ kind: 'application', id: 'Subscription.Read.All' }]
    const configured = await instance.manage('PUT', `/applications/${applicationId}/permissions`, { permissions })
    const answer =
      configured.status === 200
        ? await instance.manage('POST', `/applications/${applicationId}/consents`, {})
        : configured
    const count = () => countOf(query, `permission_grants where application_id = '${applicationId}'`)
    const audit = auditOf(query, 'admin-consent.granted', `application_id = '${applicationId}'`)
    return { answer, write: { what: `consent ${name}`, count }, audit }
  },
  async 'revoked token'({ instance, query, application, name }) {
    const token = await newToken(instance.port, application)
    const answer = await instance.manage('POST', '/revocations', { what: 'token', token: token.text })
    return {
      answer,
      write: { what: `revocation ${name}`, count: () => countOf(query, `revocations where id = '${token.jti}'`) },
      audit: auditOf(query, 'token.revoked', `details like '%${token.jti}%'`),
    }
  },
  async 'disabled application'({ instance, query, tenantId, name }) {
    const applicationId = await bareApplication(instance, tenantId)
    const answer = await instance.manage('PATCH', `/applications/${applicationId}`, { state: 'disabled' })
    const count = () => countOf(query, `applications where id = '${applicationId}' and state = 'disabled'`)
    const audit = auditOf(query, 'application.disabled', `application_id = '${applicationId}'`)
    return { answer, write: { what: `disabled ${name}`, count }, audit }
  },
  async 'rotated secret'({ instance, query, tenantId, name }) {
    const applicationId = await bareApplication(instance, tenantId)
    const answer = await instance.manage('POST', `/applications/${applicationId}/secrets`, {
      rotate: true,
      label: name,
    })
    return {
      answer,
      write: { what: `rotation ${name}`, count: () => countOf(query, `application_secrets where label = '${name}'`) },
    }
  },
  async 'rotated keys'({ instance, query, name }) {
    const answer = await instance.manage('POST', '/keys/rotate', { purpose: 'assertion', immediately: true })
    const { value = [] } =
      answer.status === 200 ? (JSON.parse(answer.body) as { value?: { kid: string; state: string }[] }) : {}
    const kid = value.find(({ state }) => state === 'active')?.kid ?? ''
    return { answer, write: { what: `keys ${name}`, count: () => countOf(query, `signing_keys where kid = '${kid}'`) } }
  },
  async subscription(context) {
    const { query, name } = context
    const answer = await asApplication(context, 'POST', '/api/v2/subscriptions', { displayName: name })
    return {
      answer,
      write: {
        what: `subscription ${name}`,
        count: () => countOf(query, `subscriptions where display_name = '${name}'`),
      },
    }
  },
  async 'renamed subscription'(context) {
    const { query, name } = context
    const made = await asApplication(context, 'POST', '/api/v2/subscriptions', { displayName: 'Bare' })
    if (made.status !== 201) return { answer: made, write: { what: name, count: async () => 0 } }
    const { id } = JSON.parse(made.body) as { id: string }
    const answer = await asApplication(context, 'PUT', `/api/v2/subscriptions/${id}`, { displayName: name })
    return {
      answer,
      write: { what: `renaming ${name}`, count: () => countOf(query, `subscriptions where display_name = '${name}'`) },
    }
  },
}

/** A call of the resource API with a new token. */
async function asApplication(
  context: WriteContext,
  method: string,
  path: string,
  content: object,
): Promise<PlainAnswer> {
  const { instance, application } = context
  const token = await newToken(instance.port, application)
  const body = JSON.stringify(content)
  const length = String(Buffer.byteLength(body))
  const headers = {
    authorization: `Bearer ${token.text}`,
    'content-type': 'application/json',
    'content-length': length,
  }
  return call(instance.port, { path, method, headers, body })
}

/** An application to write to. Its own registration is not what is looked for. */
async function bareApplication(instance: Instance, tenantId: string): Promise<string> {
  const made = await managed(instance, 'POST', '/applications', { name: 'Bare', type: 'web', tenantId })
  return made['applicationId'] as string
}

/** A write that is there when there is one such row. */
export function writeOf(query: Query, what: string, rows: string): AcknowledgedWrite {
  return { what, count: () => countOf(query, rows) }
}

/** The line of the ledger about an event. */
export function auditOf(query: Query, event: string, where: string): AcknowledgedWrite {
  return writeOf(query, `${event} in the ledger, with ${where}`, `ledger where event = '${event}' and ${where}`)
}

async function countOf(query: Query, rows: string): Promise<number> {
  const [first] = await query(`select count(*) as n from ${rows}`)
  return Number(first?.['n'])
}
