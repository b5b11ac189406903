// Whose clients the people of a tenant may use though nobody registered them: fewer than the server takes, never more.

import { isOpenClientId } from '../../oauth/secrets/open-client-id.js'
import type { Tenant } from '../records.js'

/** Whether the tenant takes the client of this `client_id`. One that registered itself has no host to be listed by. */
export function takesClient({ clientHosts }: Pick<Tenant, 'clientHosts'>, url: string): boolean {
  return clientHosts === null || (!isOpenClientId(url) && clientHosts.includes(new URL(url).hostname))
}
