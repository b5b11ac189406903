// Where an error goes when nobody registered the client (RFC 9700 §4.11.2, R6): anybody can write a document, so a link
// to this server would send people on to any address in the world. Nobody is sent on without having done anything before
// somebody in a tenant of theirs has allowed the client; the error is a page that says it.

import type { FastifyRequest } from 'fastify'
import type { Registration } from '../../directory/records.js'
import type { OAuthError } from '../../oauth/errors/errors.js'
import { documentApplicationId } from '../../oauth/secrets/document-application-id.js'
import { isOpenClientId } from '../../oauth/secrets/open-client-id.js'
import { listMemberships } from '../../users/memberships/memberships.js'
import type { Session } from '../../users/records.js'
import { PageError } from '../../web/pages/page-error.js'
import type { IdentityDependencies } from '../dependencies.js'

type Deps = Pick<IdentityDependencies, 'directory' | 'store'>

/**
 * Returns when the client may be told of the error by a redirect. Throws PageError 400 with what it would have been told,
 * StoreUnavailable.
 */
export async function requireKnownDocument(
  deps: Deps,
  request: Pick<FastifyRequest, 'method'>,
  { registration, session }: { registration: Registration; session: Session | undefined },
  error: OAuthError,
): Promise<void> {
  const { document } = registration
  // A form of ours is the person's own step, on a page that said where it leads.
  if (document === undefined || request.method === 'POST') return
  if (session !== undefined && (await isKnownTo(deps, document.url, session))) return
  const host = isOpenClientId(document.url) ? undefined : new URL(document.url).host
  throw new PageError({
    status: 400,
    title: ({ errors }) => errors.clientNotKnown.title,
    what: ({ errors: { clientNotKnown } }) =>
      host === undefined ? clientNotKnown.itself(error.description) : clientNotKnown.what(host, error.description),
    remedy: ({ errors }) => errors.clientNotKnown.remedy,
    reason: `${error.code}:${error.number}`,
    cause: error,
  })
}

/** Whether somebody in a tenant of this person has allowed it. */
async function isKnownTo({ directory, store }: Deps, url: string, { userId }: Session): Promise<boolean> {
  const memberships = await listMemberships(store.reader, { userId })
  const found = await Promise.all(
    memberships.map(({ tenantId }) => directory.findRegistration(documentApplicationId(url, tenantId))),
  )
  return found.some((one) => one?.document !== undefined)
}
