// The part of the management API that is about the API catalogue, as the commands use it.

import type { Callers } from '../../management/api-catalogue/callers.js'
import type { CatalogueApi, CatalogueList } from '../../management/api-catalogue/catalogue-schemas.js'
import { CommandFailure, exitCodes } from '../output/exit.js'
import { printable } from '../output/table.js'
import type { LocalClient } from './local-client.js'
import { unknown } from './unknown-names.js'

/** The calls. */
export interface CatalogueCalls {
  list(search: string | undefined): Promise<CatalogueList['value']>
  /** The id of the one of that id, name or identifier. Throws CommandFailure when there is none, or several. */
  find(api: string): Promise<string>
  show(apiId: string): Promise<CatalogueApi>
  callers(apiId: string, filter: Record<string, string>): Promise<Callers>
}

/** The calls over `client`. */
export function catalogueCalls(client: LocalClient): CatalogueCalls {
  const one = (apiId: string) => `/apiCatalogue/${encodeURIComponent(apiId)}`
  const query = (filter: Record<string, string>) => {
    const text = new URLSearchParams(filter).toString()
    return text === '' ? '' : `?${text}`
  }
  const list = async (search: string | undefined) => {
    const path = `/apiCatalogue${query(search === undefined ? {} : { search })}`
    return ((await client.call('GET', path)) as CatalogueList).value
  }
  return {
    list,
    async find(written) {
      const all = await list(undefined)
      const byId = all.find(({ apiId }) => apiId === written)
      if (byId !== undefined) return byId.apiId
      const [found, another] = all.filter(({ name, resources }) => name === written || resources.includes(written))
      if (found === undefined) {
        const names = all.flatMap(({ apiId, name }) => [apiId, name])
        throw await unknown('API in the catalogue', written, names)
      }
      if (another === undefined) return found.apiId
      const ids = `${found.apiId}, ${another.apiId}`
      throw new CommandFailure(exitCodes.usage, `several APIs are meant by ${printable(written)}: ${printable(ids)} …`)
    },
    show: async (apiId) => (await client.call('GET', one(apiId))) as CatalogueApi,
    callers: async (apiId, filter) => (await client.call('GET', `${one(apiId)}/callers${query(filter)}`)) as Callers,
  }
}
