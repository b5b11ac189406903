// Registering by standard, for tests: a registration token of a new tenant, and requests with it.

import type { Response } from 'light-my-request'
import { createRegistrationToken } from '../../../src/directory/applications/registration-tokens.js'
import type { PermissionRef } from '../../../src/directory/records.js'
import { createTenant } from '../../../src/directory/tenants/tenants.js'
import { ownResource } from './directory.js'
import type { IdentityApp } from './identity.js'

export const registerPath = '/api/v2/oauth2/v2.0/register'
export const redirectUri = 'https://client.example/callback'
const dayMs = 86_400_000

/** Permissions of the own API. */
export function own(kind: PermissionRef['kind'], ...ids: string[]): PermissionRef[] {
  return ids.map((id) => ({ kind, resource: ownResource, id }))
}

/** A tenant with a token of `uses` uses, which allows `User.Read` for people and `assets_read` for the application. */
export async function openRegistering(
  testApp: IdentityApp,
  more: { uses?: number; permissions?: PermissionRef[] } = {},
) {
  const { tenantId } = await createTenant(testApp.writes, { name: 'Contoso' })
  const permissions = more.permissions ?? [...own('delegated', 'User.Read'), ...own('application', 'assets_read')]
  const made = await createRegistrationToken(testApp.writes, {
    ...{ tenantId, label: 'pipeline', lifetimeMs: dayMs, uses: more.uses ?? 20, permissions },
  })
  const send = (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    url: string,
    options: { token?: string | undefined; body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Response> => {
    const { token, body, headers } = options
    return testApp.ask({
      ...{ method, url },
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
  }
  const register = (body: unknown, token: string | undefined = made.secret) =>
    send('POST', registerPath, { token, body })
  return { tenantId, token: made.token, secret: made.secret, send, register }
}
