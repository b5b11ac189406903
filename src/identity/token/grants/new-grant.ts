// The beginning of a grant: what a person just allowed an application, written down in the caller's transaction. The
// authorization endpoint also makes a code for it; a device code is its own.

import { randomUUID } from 'node:crypto'
import { createOpaqueToken, hashOpaqueToken } from '../../../oauth/secrets/opaque-token.js'
import { insertAuthorizationCode } from '../../../storage/sql/grants/authorization-codes.js'
import { insertGrant } from '../../../storage/sql/grants/grants.js'
import type { Statements } from '../../../storage/sql/store.js'
import type { IdentityDependencies } from '../../dependencies.js'
import { type GrantAuthentication, writeAuthentication } from './grant-authentication.js'

type Deps = Pick<IdentityDependencies, 'settings' | 'now'>

export interface NewGrant extends GrantAuthentication {
  origin: 'code' | 'device'
  userId: string
  applicationId: string
  tenantId: string
  /** The audience of its access tokens. Without permissions they are for userinfo only, whatever this says. */
  resource: string
  /** Plain ids of delegated permissions, already consented and within the person's role. */
  permissions: readonly string[]
  /** Those of `openid profile email offline_access` that were requested and consented. */
  openidScopes: readonly string[]
  /** When the person said that it is over, epoch ms. */
  endsAt?: number | undefined
}

export interface NewAuthorizationCode extends NewGrant {
  /** Exactly as in the authorization request (RFC 6749 §4.1.3). */
  redirectUri: string
  /** S256 (RFC 7636 §4.2); undefined: none was sent. */
  codeChallenge: string | undefined
}

/** Writes the grant; its identifier, the `gid` of its tokens. */
export async function createGrant(deps: Deps, tx: Statements, input: NewGrant): Promise<string> {
  const id = randomUUID()
  await insertGrant(tx, {
    id,
    origin: input.origin,
    user_id: input.userId,
    application_id: input.applicationId,
    tenant_id: input.tenantId,
    resource: input.resource,
    permissions: [...new Set(input.permissions)].join(' '),
    openid_scopes: [...new Set(input.openidScopes)].join(' '),
    client_identifier: '',
    authentication: writeAuthentication(input),
    state: 'active',
    created_at: deps.now(),
    ended_at: null,
    refresh_sequence: 0,
    idle_expires_at: 0,
    expires_at: 0,
    ends_at: input.endsAt ?? null,
  })
  return id
}

/**
 * Writes a code for a grant of the same transaction: the plain code, `pcl_ac_` and 256 random bits, of which only the
 * hash is kept (R14). It lives for `settings.tokens.codeLifetimeMs` (RFC 6749 §4.1.2).
 */
export async function createCode(
  deps: Deps,
  tx: Statements,
  grantId: string,
  input: Pick<NewAuthorizationCode, 'applicationId' | 'redirectUri' | 'codeChallenge'>,
): Promise<string> {
  const code = createOpaqueToken('pcl_ac_')
  const createdAt = deps.now()
  await insertAuthorizationCode(tx, {
    hash: hashOpaqueToken(code),
    grant_id: grantId,
    application_id: input.applicationId,
    redirect_uri: input.redirectUri,
    code_challenge: input.codeChallenge ?? '',
    created_at: createdAt,
    expires_at: createdAt + deps.settings.tokens.codeLifetimeMs,
    redeemed_at: null,
  })
  return code
}
