// The part of the management API that is about a tenant's own APIs, as the commands use it.

import type { ApiAnswer, ApisAnswer } from '../../management/permissions/apis.js'
import { CommandFailure, exitCodes } from '../output/exit.js'
import { printable } from '../output/table.js'
import type { LocalClient } from './local-client.js'
import { unknown } from './unknown-names.js'

/** A permission as it is written; what is absent has the server's default. */
export type ApiPermissionInput = Pick<ApiAnswer['permissions'][number], 'id' | 'describe' | 'kinds'> &
  Partial<Omit<ApiAnswer['permissions'][number], 'descriptions'>> & {
    descriptions?: Record<string, string | undefined>
  }

export interface NewApi {
  shortName: string
  name: string
  tenantId: string
  permissions: ApiPermissionInput[]
}

/** The calls. */
export interface ApiCalls {
  list(tenantId: string | undefined): Promise<ApiAnswer[]>
  /**
   * The one of that id, identifier or short name, with its entity tag. Throws CommandFailure when there is none, or
   * several.
   */
  find(api: string): Promise<{ api: ApiAnswer; tag: string | undefined }>
  create(body: NewApi): Promise<ApiAnswer>
  change(
    apiId: string,
    body: { name?: string; permissions?: ApiPermissionInput[] },
    tag: string | undefined,
  ): Promise<ApiAnswer>
  remove(apiId: string): Promise<unknown>
}

/** The calls over `client`. */
export function apiCalls(client: LocalClient): ApiCalls {
  const list = async (tenantId: string | undefined) => {
    const query = tenantId === undefined ? '' : `?tenantId=${tenantId}`
    return ((await client.call('GET', `/apis${query}`)) as ApisAnswer).value
  }
  return {
    list,
    async find(reference) {
      const all = await list(undefined)
      const isMeant = ({ apiId, identifier }: ApiAnswer) =>
        apiId === reference.toLowerCase() || identifier === reference || identifier.endsWith(`/${reference}`)
      const [found, another] = all.filter(isMeant)
      const named = printable(reference)
      if (found === undefined) throw await unknown('API', reference, all.map(shortNameOf))
      if (another !== undefined) {
        throw new CommandFailure(exitCodes.usage, `several tenants have an API ${named}: use its identifier`)
      }
      const { answer, tag } = await client.read(`/apis/${found.apiId}`)
      return { api: answer as ApiAnswer, tag }
    },
    create: async (body) => (await client.call('POST', '/apis', body)) as ApiAnswer,
    async change(apiId, body, tag) {
      return (await client.call('PATCH', `/apis/${apiId}`, body, { unlessChangedFrom: tag })) as ApiAnswer
    },
    remove: (apiId) => client.call('DELETE', `/apis/${apiId}`),
  }
}

/** The end of its identifier, by which people name it. */
function shortNameOf({ identifier }: ApiAnswer): string {
  return identifier.slice(identifier.lastIndexOf('/') + 1)
}
