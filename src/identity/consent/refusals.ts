// Somebody sent a decision that is not theirs (C7): it changes nothing, they are told, and the activity log keeps it.

import type { FastifyRequest } from 'fastify'
import { DirectoryRefusal } from '../../directory/refusal.js'
import { refusalText } from '../../web/language/refusal-text.js'
import { originOf } from '../../web/origin.js'
import { errorText, PageError, type PageLink } from '../../web/pages/page-error.js'
import type { IdentityDependencies } from '../dependencies.js'

interface Refused {
  registration: { applicationId: string }
  tenant: { tenantId: string }
  user: { userId: string }
}

/** Notes `admin-consent.refused`. */
export function noteRefused(
  deps: Pick<IdentityDependencies, 'activity'>,
  request: FastifyRequest,
  { registration, tenant, user }: Refused,
): void {
  deps.activity.note({
    ...originOf(request, { kind: 'user', userId: user.userId }),
    event: 'admin-consent.refused',
    applicationId: registration.applicationId,
    tenantId: tenant.tenantId,
    userId: user.userId,
  })
}

/** 403 for somebody who decides as an administrator and is none. `path`: the page where they can ask. */
export function accessDenied(path: string): PageError {
  return new PageError({
    status: 403,
    ...errorText(({ errors }) => errors.notAdministrator),
    links: [{ href: path, text: ({ frame }) => frame.openAgain }],
    reason: 'not_administrator',
  })
}

/** A refusal of the directory as a page; whatever else it is stays as it is. */
export function toPageError(error: unknown, link: PageLink): unknown {
  if (!(error instanceof DirectoryRefusal)) return error
  return new PageError({
    status: error.code === 'ConsentRequestDecided' || error.code === 'TooManyConsentRequests' ? 409 : 400,
    title: ({ errors }) => errors.cannot.title,
    what: refusalText(error),
    remedy: ({ errors }) => errors.cannot.nothingChanged,
    links: [link],
    reason: error.code,
    cause: error,
  })
}
