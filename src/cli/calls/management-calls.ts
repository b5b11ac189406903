// The management API as the commands use it: one function a call, typed by the schemas that the server checks with.

import type { ClientAnswer } from '../../management/applications/client-schemas.js'
import type { BrandAnswer, BrandBody } from '../../management/brands/brand-schemas.js'
import type {
  AccessRequestBody,
  ApplicationRequests,
  RequestedAccessAnswer,
} from '../../management/consents/access-requests.js'
import type { Answer, Body } from '../../management/schemas.js'
import { CommandFailure, exitCodes } from '../output/exit.js'
import type { CallOptions, LocalClient } from './local-client.js'
import { unknown } from './unknown-names.js'
import { wholeList } from './whole-list.js'

type ApplicationSummary = Answer<'applications'>['value'][number]

/** The management calls of one server. `application` is an application id, a public key or an exact name. */
export interface ManagementCalls {
  createApplication(body: Body<'createApplication'>): Promise<Answer<'createdApplication'>>
  listApplications(): Promise<ApplicationSummary[]>
  showApplication(application: string): Promise<Answer<'application'>>
  /** With its entity tag, for callers that change it and must notice somebody else's change in between. */
  readApplication(application: string): Promise<{ application: Answer<'application'>; tag: string | undefined }>
  changeApplication(
    application: string,
    body: Body<'changeApplication'>,
    options?: CallOptions,
  ): Promise<Answer<'application'>>
  deleteApplication(application: string): Promise<unknown>
  addSecret(application: string, body: Body<'addSecret'>): Promise<Answer<'addedSecret'>>
  configurePermissions(application: string, body: Body<'configurePermissions'>, options?: CallOptions): Promise<unknown>
  /** Puts it on a plan. */
  changePlan(application: string, body: { plan: string | null }, options?: CallOptions): Promise<unknown>
  listPlans(): Promise<{ name: string }[]>
  /** Exactly these, by id. */
  replaceOwners(application: string, owners: readonly string[], options?: CallOptions): Promise<unknown>
  /** What it says of itself. */
  readBrand(application: string): Promise<BrandAnswer<'application'>>
  changeBrand(application: string, body: BrandBody<'application'>): Promise<unknown>
  /**
   * Who in the tenant is meant by an e-mail address or an id. Throws CommandFailure for nobody who could own anything
   * there.
   */
  possibleOwner(tenantId: string, owner: string): Promise<ClientAnswer<'possibleOwner'>>
  requestAccess(application: string, body: AccessRequestBody): Promise<RequestedAccessAnswer>
  listAccessRequests(application: string): Promise<ApplicationRequests['value']>
  withdrawAccessRequest(application: string, requestId: string): Promise<unknown>
  grantConsent(application: string, body: Body<'grantConsent'>): Promise<unknown>
  issueToken(application: string, body: Body<'issueToken'>): Promise<Answer<'token'>>
  listTenants(): Promise<Answer<'tenants'>['value']>
  showTenant(tenantId: string): Promise<Answer<'tenant'>>
  createTenant(body: Body<'createTenant'>): Promise<Answer<'tenant'>>
  changeTenant(tenantId: string, body: Body<'changeTenant'>): Promise<unknown>
  revoke(body: Body<'revoke'>): Promise<Answer<'revoked'>>
  listKeys(): Promise<Answer<'keys'>['value']>
  rotateKeys(body: Body<'rotateKeys'>): Promise<Answer<'keys'>>
  removeKey(kid: string): Promise<unknown>
  listPermissions(): Promise<Answer<'permissions'>['value']>
  status(): Promise<Answer<'status'>>
}

/** The calls over `client`. The answers are trusted to have the shape that the server's own schemas gave them. */
export function managementCalls(client: LocalClient): ManagementCalls {
  const call = async <T>(method: string, path: string, body?: unknown, options?: CallOptions) =>
    (await client.call(method, path, body, options)) as T
  const application = (reference: string) => `/applications/${segmentOf(reference)}`
  const list = <T>(path: string) => wholeList<T>(client, path)
  return {
    createApplication: (body) => call('POST', '/applications', body),
    listApplications: () => list('/applications'),
    showApplication: (reference) => call('GET', application(reference)),
    async readApplication(reference) {
      const { answer, tag } = await client.read(application(reference))
      return { application: answer as Answer<'application'>, tag }
    },
    changeApplication: (reference, body, options) => call('PATCH', application(reference), body, options),
    deleteApplication: (reference) => call('DELETE', application(reference)),
    addSecret: (reference, body) => call('POST', `${application(reference)}/secrets`, body),
    configurePermissions: (reference, body, options) =>
      call('PUT', `${application(reference)}/permissions`, body, options),
    changePlan: (reference, body, options) => call('PUT', `${application(reference)}/plan`, body, options),
    listPlans: () => list('/plans'),
    replaceOwners: (reference, owners, options) =>
      call('PUT', `${application(reference)}/owners`, { owners: [...owners] }, options),
    readBrand: (reference) => call('GET', `${application(reference)}/brand`),
    changeBrand: (reference, body) => call('PATCH', `${application(reference)}/brand`, body),
    possibleOwner: (tenantId, owner) =>
      call('GET', `/tenants/${encodeURIComponent(tenantId)}/possibleOwners?${new URLSearchParams({ owner })}`),
    requestAccess: (reference, body) => call('POST', `${application(reference)}/consentRequests`, body),
    listAccessRequests: (reference) => list(`${application(reference)}/consentRequests`),
    withdrawAccessRequest: (reference, requestId) =>
      call('DELETE', `${application(reference)}/consentRequests/${encodeURIComponent(requestId)}`),
    grantConsent: (reference, body) => call('POST', `${application(reference)}/consents`, body),
    issueToken: (reference, body) => call('POST', `${application(reference)}/token`, body),
    listTenants: () => list('/tenants'),
    showTenant: (tenantId) => call('GET', `/tenants/${encodeURIComponent(tenantId)}`),
    createTenant: (body) => call('POST', '/tenants', body),
    changeTenant: (tenantId, body) => call('PATCH', `/tenants/${encodeURIComponent(tenantId)}`, body),
    revoke: (body) => call('POST', '/revocations', body),
    listKeys: () => list('/keys'),
    rotateKeys: (body) => call('POST', '/keys/rotate', body),
    removeKey: (kid) => call('DELETE', `/keys/${segmentOf(kid)}`),
    listPermissions: () => list('/permissions'),
    status: () => call('GET', '/status'),
  }
}

/** The one tenant of that id or exact name. Throws CommandFailure when there is none, or when a name is not unique. */
export async function requireTenant(calls: ManagementCalls, reference: string): Promise<string> {
  const tenants = await calls.listTenants()
  const byId = tenants.find((tenant) => tenant.tenantId === reference.toLowerCase())
  if (byId !== undefined) return byId.tenantId
  const [named, another] = tenants.filter((tenant) => tenant.name === reference)
  if (named === undefined) {
    const known = tenants.map(({ name }) => name)
    throw await unknown('tenant', reference, known)
  }
  if (another !== undefined) {
    throw new CommandFailure(exitCodes.usage, `several tenants are named ${reference}: use the tenant's id`)
  }
  return named.tenantId
}

/** One segment of a path. Some names cannot be one, because the server refuses targets that have two readings. */
export function segmentOf(reference: string): string {
  if (!/[/\\%]|^\.{0,2}$/.test(reference)) return encodeURIComponent(reference)
  const message = `${JSON.stringify(reference)} cannot be looked up by name: use its id (see the list command)`
  throw new CommandFailure(exitCodes.usage, message)
}
