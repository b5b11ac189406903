// From the claims of a token that somebody outside made to a caller. Everything that such a token names carries the
// issuer's name before it, so nothing of it can be taken for one of ours; its permissions are what the configuration
// says, by value.

import type { IssuerSettings } from '../config/settings/issuer-settings.js'
import { BearerError } from '../oauth/errors/errors.js'
import { isText } from '../tokens/claim-rules.js'
import type { ExternalClaims } from '../tokens/external/external-token.js'
import type { TokenPrincipal } from './principal.js'

/** Of what names a client or a person: it stands in logs, limits and counts. */
const plainName = /^[\x21-\x7e]{1,128}$/
const mostValues = 500

/**
 * The caller. `digest` names a token that has no `jti`. Throws BearerError `invalid_token` when a claim that has to say
 * something does not.
 */
export function externalPrincipal(
  claims: ExternalClaims,
  issuer: IssuerSettings,
  { keyId, digest }: { keyId: string; digest: string },
): TokenPrincipal {
  const { name } = issuer
  const jti = claims['jti']
  const common = {
    applicationId: `${name}:${nameIn(claims, issuer.applicationClaim)}`,
    tenantId: tenantOf(claims, issuer.tenant),
    resource: issuer.resource,
    permissions: permissionsOf(claims, issuer.permissions),
    issuedAt: claims.iat,
    expiresAt: claims.exp,
    jti: `${name}:${isText(jti) ? jti : digest}`,
    credentialId: `${name}:`,
    // It knows no change of ours, so a revocation of one of its subjects is meant.
    seq: 0,
    keyId: `${name}:${keyId}`,
    uses: undefined,
    assertions: undefined,
    issuer: name,
  }
  if (isOwn(claims, issuer.acts)) return { kind: 'application', ...common }
  return { kind: 'delegated', ...common, userId: `${name}:${nameIn(claims, issuer.userClaim)}`, grantId: `${name}:` }
}

function isOwn(claims: ExternalClaims, acts: IssuerSettings['acts']): boolean {
  return typeof acts === 'string' ? acts === 'application' : claimIn(claims, acts.claim) === acts.equals
}

function nameIn(claims: ExternalClaims, claim: string): string {
  const value = claimIn(claims, claim)
  if (typeof value !== 'string' || !plainName.test(value)) throw refused()
  return value
}

function tenantOf(claims: ExternalClaims, tenant: IssuerSettings['tenant']): string {
  if (typeof tenant === 'string') return tenant
  const value = claimIn(claims, tenant.claim)
  const tenantId = typeof value === 'string' ? tenant.values.get(value) : undefined
  if (tenantId === undefined) throw refused()
  return tenantId
}

function permissionsOf(claims: ExternalClaims, table: IssuerSettings['permissions']): ReadonlySet<string> {
  const found = new Set<string>()
  for (const [claim, byValue] of table) {
    for (const value of valuesOf(claimIn(claims, claim))) for (const id of byValue.get(value) ?? []) found.add(id)
  }
  return found
}

/** A list of texts, or texts with spaces between. */
function valuesOf(value: unknown): readonly string[] {
  const values = typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? value : []
  if (values.length > mostValues) throw refused()
  return values.filter((each) => typeof each === 'string')
}

/** The claim of that name; else, along dots, one inside of others: `realm_access.roles`. */
function claimIn(claims: ExternalClaims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  let inside: unknown = claims
  for (const part of name.split('.')) {
    if (typeof inside !== 'object' || inside === null || !Object.hasOwn(inside, part)) return undefined
    inside = (inside as Record<string, unknown>)[part]
  }
  return inside
}

function refused(): BearerError {
  return new BearerError('invalid_token', 'claims', 'The access token is not valid.')
}
