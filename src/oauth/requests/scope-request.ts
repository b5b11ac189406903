// What a requested scope list means (contract §3): everything (`default`) or single permissions, and for which
// resource. Pure: whether a permission exists, is configured or consented is for the caller with the registration.

import { errorNumber } from '../errors/error-numbers.js'
import { OAuthError } from '../errors/errors.js'
import { isSameSet } from './scope.js'

export interface RequestedPermission {
  id: string
  /** The resource that was written before it, `{resource}/id`. */
  resource: string | undefined
}

export type ScopeRequest =
  /** `written` is the entry as the client spelled it: it is echoed. */
  | { kind: 'default'; written: string; resource: string | undefined }
  | { kind: 'permissions'; permissions: readonly RequestedPermission[] }
  /** Nothing but reserved words, or nothing at all. */
  | { kind: 'nothing' }

/** OpenID Connect's words: never permissions, and nothing that an application acting as itself could have. */
const reserved = new Set(['openid', 'profile', 'email', 'offline_access', 'address', 'phone'])

/**
 * Reads a list from readScopeList. `isPermission` says whether a whole entry is a known permission id, before it is
 * taken for `{resource}/id`. Throws OAuthError `invalid_scope` when a default stands beside anything but reserved
 * words.
 */
export function readScopeRequest(entries: readonly string[], isPermission: (id: string) => boolean): ScopeRequest {
  const wanted = entries.filter((entry) => !reserved.has(entry))
  const [first] = wanted
  if (first === undefined) return { kind: 'nothing' }
  const written = wanted.find(isDefault)
  if (written === undefined) {
    return { kind: 'permissions', permissions: wanted.map((entry) => requestedPermission(entry, isPermission)) }
  }
  if (wanted.length > 1) {
    throw new OAuthError('invalid_scope', 'default stands for all permissions and cannot be mixed with others.', {
      number: errorNumber.invalidScope,
    })
  }
  const slash = written.lastIndexOf('/')
  return { kind: 'default', written, resource: slash < 0 ? undefined : written.slice(0, slash) }
}

/**
 * The `scope` of the response (RFC 6749 §5.1), or undefined when it is what was requested as a set of strings;
 * `{resource}/id` counts as its id. A default is always followed by what it meant, and echoed first as it was written.
 */
export function responseScope(
  entries: readonly string[],
  request: ScopeRequest,
  granted: readonly string[],
): string | undefined {
  if (request.kind === 'default') return [request.written, ...granted].join(' ')
  const permissions = request.kind === 'permissions' ? request.permissions.map(({ id }) => id) : []
  const requested = new Set([...entries.filter((entry) => reserved.has(entry)), ...permissions])
  return isSameSet([...requested], granted) ? undefined : granted.join(' ')
}

function isDefault(entry: string): boolean {
  return entry === 'default' || entry === '.default' || entry.endsWith('/.default')
}

function requestedPermission(entry: string, isPermission: (id: string) => boolean): RequestedPermission {
  const slash = entry.lastIndexOf('/')
  if (slash < 0 || isPermission(entry)) return { id: entry, resource: undefined }
  return { id: entry.slice(slash + 1), resource: entry.slice(0, slash) }
}
