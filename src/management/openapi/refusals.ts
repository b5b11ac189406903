// The refusals of the document: three families of bodies, and which statuses an operation may answer with.

import { STATUS_CODES } from 'node:http'
import { Type } from 'typebox'
import type { OperationGroup } from '../../http/described-operations.js'
import type { ApiResponse, ReferredResponse } from './document-types.js'

const apiError = Type.Object({
  error: Type.Object({
    code: Type.String({ description: 'Stable, in PascalCase.' }),
    message: Type.String(),
    target: Type.Optional(Type.String({ description: 'The field, parameter or permission that it is about.' })),
    details: Type.Optional(
      Type.Array(Type.Object({ code: Type.String(), message: Type.String(), target: Type.Optional(Type.String()) })),
    ),
    permission: Type.Optional(
      Type.Object(
        { id: Type.String(), kind: Type.String(), resource: Type.String(), status: Type.Optional(Type.String()) },
        { description: 'The permission that is missing, and how far it got.' },
      ),
    ),
    consent_uri: Type.Optional(Type.String({ description: 'Where an administrator consents.' })),
    role: Type.Optional(Type.String({ description: 'The least role that may do this.' })),
    max_age: Type.Optional(
      Type.Integer({
        description: 'RecentSignInRequired: how old the sign-in of a person may be, in seconds (RFC 9470).',
      }),
    ),
    acr_values: Type.Optional(
      Type.String({ description: 'SecondFactorRequired: how the person has to sign in (RFC 9470).' }),
    ),
    innerError: Type.Object(
      { date: Type.String(), 'request-id': Type.String(), 'client-request-id': Type.Optional(Type.String()) },
      { additionalProperties: false },
    ),
  }),
})

const oauthError = Type.Object(
  {
    error: Type.String(),
    error_description: Type.String(),
    error_codes: Type.Array(Type.Integer(), { description: 'Explained under /errors.' }),
    timestamp: Type.String(),
    trace_id: Type.String({ description: 'The request-id of the answer.' }),
    correlation_id: Type.String(),
    error_uri: Type.String(),
    suberror: Type.Optional(Type.String()),
    consent_uri: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
)

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: object) => ({ 'application/json': { schema } })
const challenge = { 'www-authenticate': { schema: { type: 'string' } } }
const html = { 'text/html': { schema: { type: 'string' } } }

/** The bodies of refusals, for the components. */
export const refusalSchemas = { ApiError: apiError, OAuthError: oauthError }

/** The answers that operations refer to. */
export const refusalResponses: Readonly<Record<string, ApiResponse>> = {
  ApiError: { description: 'Refused.', content: json(reference('ApiError')) },
  BearerError: { description: 'Refused for its token.', headers: challenge, content: json(reference('ApiError')) },
  OAuthError: {
    description: 'Refused, with an error of OAuth; with an ApiError before the endpoint is reached.',
    content: json({ anyOf: [reference('OAuthError'), reference('ApiError')] }),
  },
  Unheard: {
    description: 'Refused before any route is matched, for a head that cannot be accepted: 408, 414, 421, 431 or 501.',
    content: json(reference('ApiError')),
  },
  PageError: {
    description: 'A page that says what happened; an ApiError before the page is reached.',
    content: { ...html, ...json(reference('ApiError')) },
  },
}

/** 400 and 403 are also those of the server itself: what cannot be read, plain HTTP. */
const always = [400, 403, 429, 500, 503]

const usual: Readonly<Record<OperationGroup['family'], readonly number[]>> = {
  api: [401],
  oauth: [401],
  page: [404],
  document: [],
}
const withBody: Readonly<Record<OperationGroup['family'], readonly number[]>> = {
  api: [404, 408, 409, 413, 415],
  oauth: [408, 413, 415],
  page: [408, 409, 412, 413, 415],
  document: [],
}

/** The refusals of an operation, by status. */
export function refusalsOf(
  family: OperationGroup['family'],
  about: {
    takesBody: boolean
    namesThings: boolean
    others: readonly number[]
    byPage?: readonly number[] | undefined
  },
): Record<string, ReferredResponse> {
  const statuses = [
    ...always,
    ...usual[family],
    ...(about.takesBody ? withBody[family] : []),
    ...(about.namesThings ? [404] : []),
    ...about.others,
  ]
  const sorted = [...new Set(statuses)].sort((a, b) => a - b)
  const refusals = sorted.map((status) => [status, refusal(about.byPage?.includes(status) ? 'page' : family, status)])
  return { ...Object.fromEntries(refusals), default: { $ref: '#/components/responses/Unheard' } }
}

function refusal(family: OperationGroup['family'], status: number): ReferredResponse {
  return { $ref: `#/components/responses/${responseName(family, status)}`, description: reason(status) }
}

/** The words of a status. */
export function reason(status: number): string {
  return STATUS_CODES[status] ?? String(status)
}

function responseName(family: OperationGroup['family'], status: number): string {
  if (family === 'page') return 'PageError'
  if (family === 'api') return status === 401 ? 'BearerError' : 'ApiError'
  return 'OAuthError'
}
