// Where a pending request goes on. All are paths of this server, made from an id and a fixed list: what a client sent
// never decides where a page of ours leads.

import { isPage } from './page-path.js'
import type { PendingRequest } from './pending-request.js'

const base = '/api/v2/oauth2/v2.0'

type Pending = Pick<PendingRequest, 'id' | 'kind' | 'body'>

/** Where the request is decided again, after a page did its part. */
export function resumePath({ id, kind, body }: Pending): string {
  switch (kind) {
    case 'authorize':
      return `${base}/authorize/resume/${id}`
    case 'admin-consent':
      return `${base}/adminconsent/resume/${id}`
    case 'device':
      return `/device?request=${id}`
    case 'page':
      return pagePath(body)
    case 'form':
      return `/portal/confirm?request=${id}${tenantOf(body)}`
    case 'external':
      return '/account'
  }
}

/** The sign-in page, for this request. */
export function signInPath({ id }: Pick<PendingRequest, 'id'>): string {
  return `/sign-in?request=${id}`
}

/** The consent page, for this request. */
export function consentPath({ id }: Pick<PendingRequest, 'id'>): string {
  return `/consent?request=${id}`
}

/** The page that asks in which tenant, for this request. */
export function tenantPath({ id }: Pick<PendingRequest, 'id'>): string {
  return `/choose-tenant?request=${id}`
}

/** `body.path` when it is one of the pages that may be gone back to; the account page otherwise. */
function pagePath(body: unknown): string {
  const path = typeof body === 'object' && body !== null && 'path' in body ? body.path : undefined
  return typeof path === 'string' && isPage(path) ? path : '/account'
}

/** The tenant that a kept form was sent in, for people who have several. */
function tenantOf(body: unknown): string {
  const path = typeof body === 'object' && body !== null && 'path' in body ? String(body.path) : ''
  const tenant = /[?&]tenant=([\w-]{1,64})(?:&|$)/.exec(path)?.[1]
  return tenant === undefined ? '' : `&tenant=${tenant}`
}
