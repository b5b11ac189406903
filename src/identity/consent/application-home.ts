// Which organisation registered an application, for the pages on which somebody decides about it.

import type { Directory, Registration } from '../../directory/records.js'

/** Its name, and whether it is the one that the person is in. Throws StoreUnavailable. */
export async function homeOf(
  { directory }: { directory: Pick<Directory, 'findTenant'> },
  { tenantId }: Pick<Registration, 'tenantId'>,
  inTenantId: string,
): Promise<{ name: string; isOwn: boolean }> {
  const tenant = await directory.findTenant(tenantId)
  return { name: tenant?.name ?? tenantId, isOwn: tenantId === inTenantId }
}
