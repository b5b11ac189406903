// What the issuer says about itself (RFC 8414). Its `issuer` has to be the configured one, character by character
// (§3.3): otherwise one server could send the credentials meant for another to itself.

import { ClientError } from './errors.js'
import { exchange } from './exchange.js'
import { markNow, type Surroundings } from './surroundings.js'
import { type KeptFresh, keepFresh } from './tokens/kept-fresh.js'

const hourMs = 3_600_000

/** The part of it that is used here. */
export interface IssuerMetadata {
  issuer: string
  tokenEndpoint: string
  authorizationEndpoint: string | undefined
  deviceAuthorizationEndpoint: string | undefined
  revocationEndpoint: string | undefined
  userinfoEndpoint: string | undefined
  /** RFC 9207 §3: every answer at a redirect URI names its issuer. */
  namesIssuerInAnswers: boolean
}

/** Asks once for all who wait, and again after an hour; a failure then leaves what was known for a day. */
export function createDiscovery(issuer: string, surroundings: Surroundings): KeptFresh<IssuerMetadata> {
  const url = metadataUrl(issuer)
  return keepFresh(async (signal) => {
    const since = markNow(surroundings.clock)
    const answer = await exchange(surroundings, { url, signal })
    if (answer.status !== 200) {
      const { retryAfterSeconds } = answer
      const code = answer.status === 429 || answer.status === 503 ? 'try_later' : 'malformed_answer'
      const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
      throw new ClientError(code, `${url} answered ${answer.status}`, wait)
    }
    const value = metadataOf(answer.body, issuer)
    return { value, since, refreshAfterMs: hourMs, endsAfterMs: 24 * hourMs }
  }, surroundings)
}

/** RFC 8414 §3.1: between the host and the issuer's own path. */
function metadataUrl(issuer: string): string {
  if (!URL.canParse(issuer)) throw new ClientError('wrong_use', 'the issuer is not a URL')
  const { protocol, origin, pathname, search, hash } = new URL(issuer)
  if (protocol !== 'https:' || search !== '' || hash !== '') {
    throw new ClientError('wrong_use', `the issuer ${issuer} is not an https URL without query and fragment`)
  }
  return `${origin}/.well-known/oauth-authorization-server${pathname === '/' ? '' : pathname}`
}

function metadataOf(body: Record<string, unknown>, issuer: string): IssuerMetadata {
  if (body['issuer'] !== issuer) {
    throw new ClientError('issuer_mismatch', `the metadata is of another issuer than ${issuer}`)
  }
  const endpoint = (name: string): string | undefined => {
    const value = body[name]
    if (value === undefined) return undefined
    if (typeof value === 'string' && value.startsWith('https://') && URL.canParse(value)) return value
    throw new ClientError('malformed_answer', `the metadata has a ${name} that is not an https address`)
  }
  const tokenEndpoint = endpoint('token_endpoint')
  if (tokenEndpoint === undefined) throw new ClientError('malformed_answer', 'the metadata names no token endpoint')
  return {
    issuer,
    tokenEndpoint,
    authorizationEndpoint: endpoint('authorization_endpoint'),
    deviceAuthorizationEndpoint: endpoint('device_authorization_endpoint'),
    revocationEndpoint: endpoint('revocation_endpoint'),
    userinfoEndpoint: endpoint('userinfo_endpoint'),
    namesIssuerInAnswers: body['authorization_response_iss_parameter_supported'] === true,
  }
}
