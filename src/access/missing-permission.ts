// A refusal that says how to fix it: how far the missing permission got on its way into a token (contract §5, §7).

import type { Directory, PermissionRef, Registration } from '../directory/records.js'
import { commandLineClient } from '../oauth/command-line-client.js'
import { adminConsentUri } from '../oauth/requests/admin-consent-uri.js'
import type { TokenPrincipal } from './principal.js'

export type MissingPermissionStatus = 'not_configured' | 'not_consented' | 'not_requested' | 'consented_after_issue'

export interface MissingPermission {
  status: MissingPermissionStatus
  /** For the developer; safe to send. */
  message: string
  /** Where an administrator of the token's tenant consents. */
  consentUri: string
}

export interface MissingPermissionDependencies {
  directory: Pick<Directory, 'findRegistration' | 'findInstallation'>
  /** What a person allowed an application in a tenant. */
  consentsOf: (about: Record<'userId' | 'applicationId' | 'tenantId', string>) => Promise<readonly Granted[]>
  baseUrl: string
}

type Granted = PermissionRef & { grantedAt: number }

/**
 * Where `missing` stands for the caller's application in the tenant of its token. Tells nobody anything about another
 * application. Throws StoreUnavailable.
 */
export async function describeMissing(
  deps: MissingPermissionDependencies,
  principal: TokenPrincipal,
  missing: PermissionRef,
): Promise<MissingPermission> {
  const { applicationId, tenantId } = principal
  const registration = await deps.directory.findRegistration(applicationId)
  const status = await findStatus(deps, registration, principal, missing)
  const consentUri = adminConsentUri(deps.baseUrl, {
    applicationId,
    tenantId,
    scope: `${missing.resource}/${missing.id}`,
  })
  if (status === 'not_configured' && registration?.document !== undefined) {
    const message = `This call needs the ${missing.kind} permission ${missing.id}, which is not open to clients that nobody registered here.`
    return { status, message, consentUri }
  }
  return { status, message: messageFor(status, principal, missing), consentUri }
}

async function findStatus(
  deps: MissingPermissionDependencies,
  registration: Registration | undefined,
  principal: TokenPrincipal,
  missing: PermissionRef,
): Promise<MissingPermissionStatus> {
  const { applicationId, tenantId } = principal
  if (registration?.configured.some((permission) => isSame(permission, missing)) !== true) return 'not_configured'
  const installation = await deps.directory.findInstallation(applicationId, tenantId)
  const find = (list: readonly Granted[]) => list.find((permission) => isSame(permission, missing))
  const granted = find(installation?.granted ?? []) ?? find(await ownConsents(deps, principal))
  if (granted === undefined) return 'not_consented'
  // `iat` is the beginning of its second: consent within that second came after, for else the token could have had it.
  return granted.grantedAt > principal.issuedAt * 1000 ? 'consented_after_issue' : 'not_requested'
}

/** What the person of a delegated token allowed by themselves. */
async function ownConsents(
  deps: MissingPermissionDependencies,
  principal: TokenPrincipal,
): Promise<readonly Granted[]> {
  if (principal.kind !== 'delegated') return []
  const { userId, applicationId, tenantId } = principal
  return deps.consentsOf({ userId, applicationId, tenantId })
}

function isSame(a: PermissionRef, b: PermissionRef): boolean {
  return a.kind === b.kind && a.resource === b.resource && a.id === b.id
}

function messageFor(status: MissingPermissionStatus, principal: TokenPrincipal, { kind, id }: PermissionRef): string {
  const needed = `This call needs the ${kind} permission ${id}`
  if (kind !== principal.kind) {
    return kind === 'delegated'
      ? `${needed}: it is open to applications that act for a signed-in user, and this token is the application's own.`
      : `${needed}: it is open to applications that act as themselves, and this token is a user's.`
  }
  if (status === 'not_configured' && principal.applicationId === commandLineClient.applicationId) {
    return `${needed}. This token is of the command line's own application, which nobody changes. Call as an application that has the permission: portcullis call --client-id ID --client-secret-file FILE, or --app NAME for one that you look after.`
  }
  switch (status) {
    case 'not_configured':
      return `${needed}, which is not configured for this application. Add it to the API permissions, have an administrator consent, then get a new token.`
    case 'not_consented':
      return kind === 'delegated'
        ? `${needed}, which is configured, but neither this user nor an administrator of this tenant has consented to it. Ask for it in the scope of an authorization request.`
        : `${needed}, which is configured, but no administrator of this tenant has consented to it. After the consent, get a new token.`
    case 'not_requested':
      return `${needed}, which this application has, but did not ask for in this token. Ask for it in the scope of the ${kind === 'delegated' ? 'authorization' : 'token'} request.`
    case 'consented_after_issue':
      return `${needed}, which was consented to after this token was issued. Get a new token.`
  }
}
