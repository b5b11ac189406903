// What the portal needs: what every page needs, and the management API in the name of the person who is signed in. It
// has no other way to change anything.

import type { Settings } from '../config/settings/settings.js'
import type { Directory } from '../directory/records.js'
import type { Download } from '../downloads/downloads.js'
import type { DevelopmentAuthority } from '../http/tls/development-ca.js'
import type { IdentityDependencies, SignedInDependencies } from '../identity/dependencies.js'
import type { InProcessAnswer, InProcessCall, InTheNameOf } from '../management/access/in-process-transport.js'
import type { ApiDocument } from '../management/openapi/document-types.js'
import type { Reader } from '../management/openapi/service-chapters.js'

export interface PortalDependencies extends SignedInDependencies {
  settings: Settings
  directory: Directory
  /** See IdentityDependencies. */
  guardAddresses: IdentityDependencies['guardAddresses']
  /** Asks the management API in process. Throws ApiError. */
  manage: (who: InTheNameOf, call: InProcessCall) => Promise<InProcessAnswer>
  version: string
  /** The client library as programs install it from here; undefined where it cannot be. Never fails. */
  clientDownload: () => Promise<Download | undefined>
  /** What signs the certificate of a server in development; undefined where clients trust it as any other. */
  authority: DevelopmentAuthority | undefined
  /** The document of the API, as it is for anybody or for people at the portal. */
  document: (reader: Reader) => Promise<ApiDocument> | ApiDocument
}
