// The answer to a request for an administrator's consent (contract §4): a redirect to the registered address, or a page
// where the request named none. Its parameters prove nothing; the application asks for a token.

import type { FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import type { PermissionRef, Tenant } from '../../directory/records.js'
import type { OAuthError } from '../../oauth/errors/errors.js'
import { type ResponseFields, responseLocation } from '../../oauth/requests/authorization-response.js'
import { textsOf } from '../../web/language/reader-language.js'
import { displayName } from '../../web/pages/display-name.js'
import { Page } from '../../web/pages/layout.js'
import { errorText, PageError } from '../../web/pages/page-error.js'
import { sendPage } from '../../web/pages/send-page.js'
import type { IdentityDependencies } from '../dependencies.js'
import type { OpenConsent, Waiting } from './consent-status.js'
import { findAdminConsentUri } from './request.js'

/** `admin_consent=True`, with the tenant and what was consented to. */
export function sendGranted(deps: IdentityDependencies, reply: FastifyReply, status: OpenConsent): FastifyReply {
  const { tenant, registration, permissions, user } = status
  const fields = [
    ['admin_consent', 'True'],
    ['tenant', tenant.tenantId],
    ['scope', scopeOf(permissions)],
  ] as const
  const { administrator } = textsOf(reply.request).consent
  const page = () => (
    <Page title={administrator.granted} user={user}>
      <div class="card" id="result">
        <p>
          {administrator.grantedTo(<bdi>{displayName(registration.name)}</bdi>, <bdi>{displayName(tenant.name)}</bdi>)}
        </p>
        <Onward text={administrator.see} />
      </div>
    </Page>
  )
  return send(deps, reply, status, fields) ?? sendPage(reply, 200, page())
}

/** `admin_consent=False` with the error; a page of its own where there is no address. */
export function sendNotGranted(
  deps: IdentityDependencies,
  reply: FastifyReply,
  waiting: Waiting & { tenant?: Tenant },
  error: OAuthError,
): FastifyReply {
  const { baseUrl } = deps.settings.server
  const { tenant } = waiting
  const fields: ResponseFields = [
    ['admin_consent', 'False'],
    ['error', error.code],
    ['error_description', error.description],
    ['error_uri', `${baseUrl}/errors/${error.number}`],
    ...(tenant === undefined ? [] : [['tenant', tenant.tenantId] as const]),
  ]
  const sent = send(deps, reply, waiting, fields)
  if (sent !== undefined) return sent
  if (error.code === 'access_denied') {
    const { administrator } = textsOf(reply.request).consent
    const page = (
      <Page title={administrator.nothing}>
        <div class="card" id="result">
          <p>{administrator.declined(<bdi>{displayName(waiting.registration.name)}</bdi>)}</p>
          <Onward text={administrator.see} />
        </div>
      </Page>
    )
    return sendPage(reply, 200, page)
  }
  throw new PageError({
    status: 400,
    title: ({ errors }) => errors.consentNotPossible.title,
    what: error.description,
    remedy: ({ errors }) => errors.consentNotPossible.remedy,
    links: [{ href: `/errors/${error.number}`, text: ({ errors }) => errors.consentNotPossible.link }],
    reason: `${error.code}:${error.number}`,
  })
}

/** Where one goes on from a page that no application takes over. */
function Onward({ text }: { text: string }): VNode {
  return (
    <p>
      <a class="button plain" id="apps" href="/account/apps">
        {text}
      </a>
    </p>
  )
}

/** A permission in the `scope`: its id, with the resource before it where there are several. */
function scopeOf(permissions: readonly PermissionRef[]): string {
  const resources = new Set(permissions.map(({ resource }) => resource).filter((resource) => resource !== 'openid'))
  const written = permissions.map(({ resource, id }) =>
    resources.size > 1 && resource !== 'openid' ? `${resource}/${id}` : id,
  )
  return [...new Set(written)].join(' ')
}

function send(
  deps: IdentityDependencies,
  reply: FastifyReply,
  { request, registration }: Waiting,
  fields: ResponseFields,
): FastifyReply | undefined {
  const { redirectUri, state } = request
  if (redirectUri === undefined) return undefined
  const to = findAdminConsentUri(registration, redirectUri)
  if (to === undefined) {
    throw new PageError({
      status: 400,
      ...errorText(({ errors }) => errors.addressGone),
      reason: 'redirect_uri_mismatch',
    })
  }
  const rest: ResponseFields = [
    ...(state === undefined ? [] : [['state', state] as const]),
    ['iss', deps.settings.server.baseUrl],
  ]
  return reply
    .code(302)
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .header('location', responseLocation(to, [...fields, ...rest]))
    .send()
}
