// The calls of the management API in the name of the caller of an import: each is decided as if they had made it
// themselves, by its own route, with its rules, its audit and its precondition.

import type { FastifyRequest } from 'fastify'
import { readApplications } from '../../storage/sql/registrations/applications.js'
import { callerOf } from '../access/access.js'
import type { InProcessCall } from '../access/in-process-transport.js'
import type { ManagementDependencies } from '../dependencies.js'
import type { RegistrationReads, RegistrationWrites } from '../registrations/calls.js'
import { type FindRegistration, storedName } from '../registrations/find.js'
import { RegistrationProblem } from '../registrations/problem.js'
import type { Answer } from '../schemas.js'

export interface CallerCalls extends RegistrationWrites, Pick<RegistrationReads, 'readApplication'> {}

/** For one request. Each throws ApiError. */
export function callsOf(deps: Pick<ManagementDependencies, 'callAs'>, request: FastifyRequest): CallerCalls {
  const caller = callerOf(request)
  const { requestId = '', address = '' } = caller.origin
  const presented = caller.kind === 'local' ? ({ kind: 'local' } as const) : caller.principal
  const send = (call: InProcessCall) => deps.callAs({ presented, requestId, address }, call)
  const write = async <T>(method: InProcessCall['method'], path: string, body: unknown, tag?: string): Promise<T> => {
    const headers = tag === undefined ? {} : { 'if-match': tag }
    return (await send({ method, path: `/applications${path}`, body, headers })).answer as T
  }
  return {
    async readApplication(id) {
      const { answer, tag } = await send({ method: 'GET', path: `/applications/${id}` })
      return { application: answer as Answer<'application'>, tag }
    },
    showApplication: async (id) =>
      (await send({ method: 'GET', path: `/applications/${id}` })).answer as Answer<'application'>,
    // Of two who import the same at once, one hears that it is there.
    createApplication: (body) => write('POST', '', { ...body, ifNameIsFree: true }),
    changeApplication: (id, body, condition) => write('PATCH', `/${id}`, body, condition?.unlessChangedFrom),
    configurePermissions: (id, body, condition) =>
      write('PUT', `/${id}/permissions`, body, condition?.unlessChangedFrom),
    changePlan: (id, body, condition) => write('PUT', `/${id}/plan`, body, condition?.unlessChangedFrom),
    replaceOwners: (id, owners, condition) =>
      write('PUT', `/${id}/owners`, { owners: [...owners] }, condition?.unlessChangedFrom),
    changeBrand: (id, body) => write('PATCH', `/${id}/brand`, body),
    grantConsent: (id, body) => write('POST', `/${id}/consents`, body),
  }
}

/** Finds by the name alone: a tenant may have many more applications than an import has. */
export function finderOf(
  { store }: Pick<ManagementDependencies, 'store'>,
  calls: Pick<CallerCalls, 'readApplication'>,
): FindRegistration {
  return async (tenantId, name) => {
    const stored = storedName(name)
    const [found, another] = await store.snapshot((tx) => readApplications(tx, 'name', stored, tenantId))
    if (found === undefined) return undefined
    if (another === undefined) return calls.readApplication(found.application.id)
    throw new RegistrationProblem(
      'what_there_is',
      `several applications of the tenant are named ${stored}: rename them`,
    )
  }
}
