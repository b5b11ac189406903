// What the operations about brands are for, as the document of the API says it.

import type { DescribedOperation } from '../../http/described-operations.js'
import { tagged } from '../operation-chapter.js'

/** Of tenants, by `METHOD /path`. */
export const tenantBrandOperations: Readonly<Record<string, DescribedOperation>> = {
  'GET /api/v2/tenants/{id}/brand': ['readTenantBrand', 'Says what the sign-in pages of a tenant look like', tagged],
  'PATCH /api/v2/tenants/{id}/brand': ['changeTenantBrand', 'Changes name, logo, colours and links of those', tagged],
  'DELETE /api/v2/tenants/{id}/brand': ['removeTenantBrand', 'Makes them look like the server’s again', tagged],
  'POST /api/v2/tenants/{id}/brand/removal': ['takeTenantBrandAway', 'Does that for an operator, with a reason'],
}

/** Of applications, by `METHOD /path`. */
export const applicationBrandOperations: Readonly<Record<string, DescribedOperation>> = {
  'GET /api/v2/applications/{id}/brand': [
    'readApplicationBrand',
    'Says which logo and links an application shows where people decide about it',
    tagged,
  ],
  'PATCH /api/v2/applications/{id}/brand': ['changeApplicationBrand', 'Changes those', tagged],
  'DELETE /api/v2/applications/{id}/brand': ['removeApplicationBrand', 'Takes them away', tagged],
  'POST /api/v2/applications/{id}/brand/removal': [
    'takeApplicationBrandAway',
    'Does that for an operator, with a reason',
  ],
}
