// Whose clients the people of a tenant may use though nobody registered them: fewer than the server takes, never more.

import type { Tenant } from '../records.js'

/** Whether the tenant takes the client at this URL. */
export function takesClient({ clientHosts }: Pick<Tenant, 'clientHosts'>, url: string): boolean {
  return clientHosts === null || clientHosts.includes(new URL(url).hostname)
}
