// The `claims` parameter (OpenID Connect Core §5.5): which claims the ID token and userinfo should have, whom the
// request is about, and how strongly they must have signed in. A claim that is not known is not given; nothing is
// refused for it, unless nobody could ever sign in as it demands.

import { servedClasses } from '../../oauth/authentication-class.js'
import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../oauth/errors/errors.js'
import type { AuthorizeRequest } from '../pending/authorize-request.js'

type ClaimsRequest = NonNullable<AuthorizeRequest['claims']>

const mostNames = 50

/**
 * Reads the JSON. Throws OAuthError `invalid_request` when it is no object, or its members are none,
 * `unmet_authentication_requirements` for an essential `acr` of which no value is served here.
 */
export function readClaimsParameter(text: string | undefined): ClaimsRequest | undefined {
  if (text === undefined) return undefined
  const claims = parse(text)
  const idToken = member(claims, 'id_token')
  const userinfo = member(claims, 'userinfo')
  const sub = valuesOf(idToken.get('sub'))[0] ?? valuesOf(userinfo.get('sub'))[0]
  const acrValues = valuesOf(idToken.get('acr'))
  const acr = servedClasses(acrValues)
  const acrIsEssential = isEssential(idToken.get('acr'))
  if (acrIsEssential && acrValues.length > 0 && acr.length === 0) throw unmetRequirements()
  return {
    idToken: [...idToken.keys()].slice(0, mostNames),
    userinfo: [...userinfo.keys()].slice(0, mostNames),
    ...(sub === undefined ? {} : { sub }),
    ...(acr.length === 0 ? {} : acrIsEssential ? { acr } : { acrPreferred: acr }),
  }
}

function parse(text: string): object {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw refusal(cause)
  }
  if (!isObject(value)) throw refusal()
  return value
}

/** Its entries as a Map: a name that a prototype has is a name like any other. */
function member(claims: object, name: string): Map<string, unknown> {
  const value = new Map<string, unknown>(Object.entries(claims)).get(name)
  if (value === undefined || value === null) return new Map()
  if (!isObject(value)) throw refusal()
  return new Map(Object.entries(value))
}

function valuesOf(entry: unknown): string[] {
  if (!isObject(entry)) return []
  const { value, values } = entry as { value?: unknown; values?: unknown }
  const all = [value, ...(Array.isArray(values) ? values : [])]
  return all.filter((each) => typeof each === 'string').slice(0, mostNames)
}

function isEssential(entry: unknown): boolean {
  return isObject(entry) && 'essential' in entry && entry.essential === true
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function refusal(cause?: unknown): OAuthError {
  return new OAuthError('invalid_request', 'claims is not a JSON object as OpenID Connect describes it.', {
    number: errorNumber.invalidParameter,
    cause,
  })
}

/**
 * Nobody can reach the `acr` that the request demands, or the person who signed in cannot (OpenID Connect Unmet
 * Authentication Requirements 1.0).
 */
export function unmetRequirements(): OAuthError {
  const what = 'The person cannot sign in with the acr that was demanded.'
  return new OAuthError('unmet_authentication_requirements', what, { number: errorNumber.unmetRequirements })
}
