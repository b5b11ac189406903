// What the portal needs: what every page needs, and the management API in the name of whoever is signed in. It has no
// other way to change anything.

import type { IdentityDependencies } from '../identity/dependencies.js'
import type { InProcessAnswer, InProcessCall, InTheNameOf } from '../management/access/in-process-transport.js'
import type { ApiDocument } from '../management/openapi/document-types.js'

export interface PortalDependencies extends IdentityDependencies {
  /** Asks the management API in process. Throws ApiError. */
  manage: (who: InTheNameOf, call: InProcessCall) => Promise<InProcessAnswer>
  version: string
  /** The document of the API. */
  document: () => ApiDocument
}
