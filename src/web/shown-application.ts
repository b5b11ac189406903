// What pages before the consent page say of an application.

import type { Directory, Registration } from '../directory/records.js'
import type { ShownApplication } from './pages/application-name.js'

/** The registration with the name of its home. Throws StoreUnavailable. */
export async function shownApplication(
  { directory }: { directory: Pick<Directory, 'findTenant'> },
  { name, verified, tenantId, document }: Pick<Registration, 'name' | 'verified' | 'tenantId' | 'document'>,
): Promise<ShownApplication> {
  if (document !== undefined) return { name, verified, home: undefined }
  const tenant = await directory.findTenant(tenantId)
  return { name, verified, home: tenant?.name ?? tenantId }
}
