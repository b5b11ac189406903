// A refusal on its way to the client (RFC 6749 §4.1.2.1): always with `iss` and, when there was one, the client's
// `state`.

import type { FastifyReply } from 'fastify'
import { requestContext } from '../../http/requests/request-context.js'
import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../oauth/errors/errors.js'
import { errorFields } from '../../oauth/requests/authorization-response.js'
import type { IdentityDependencies } from '../dependencies.js'
import type { AuthorizeRequest } from '../pending/authorize-request.js'
import { type AnswerTo, sendAnswer } from './respond.js'

/** Sends the error to the client. */
export function sendRefusal(
  deps: Pick<IdentityDependencies, 'settings'>,
  reply: FastifyReply,
  to: AnswerTo & { state: string | undefined },
  error: OAuthError,
): FastifyReply {
  const { baseUrl } = deps.settings.server
  requestContext(reply.request).entry.reason ??= `${error.code}:${error.number}`
  const fields = errorFields({
    error: error.code,
    description: error.description,
    errorUri: `${baseUrl}/errors/${error.number}`,
    state: to.state,
    issuer: baseUrl,
  })
  return sendAnswer(reply, to, fields)
}

/** As it waits with the request; `toError` reads it back. */
export function rememberError({ code, description, number }: OAuthError): NonNullable<AuthorizeRequest['error']> {
  return { code, description, number }
}

/** What was remembered. A code that this program does not know is a server_error. */
export function toError({ code, description, number }: NonNullable<AuthorizeRequest['error']>): OAuthError {
  return new OAuthError(codes.find((known) => known === code) ?? 'server_error', description, { number })
}

/** Somebody has to sign in, and no page may be shown, or the wrong person just did. */
export function loginRequired(): OAuthError {
  return new OAuthError('login_required', 'The person has to sign in.', { number: errorNumber.loginRequired })
}

const codes = [
  'invalid_request',
  'invalid_scope',
  'invalid_target',
  'unauthorized_client',
  'unmet_authentication_requirements',
  'unsupported_response_type',
  'request_not_supported',
  'request_uri_not_supported',
] as const
