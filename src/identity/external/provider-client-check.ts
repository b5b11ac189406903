// Whether a provider takes what this server proves itself with there: it is sent a code that it never gave out. One
// that refuses the code (invalid_grant) has accepted the client; RFC 6749 §5.2 has a word of its own for the other.

import { createHash } from 'node:crypto'
import type { ProviderSettings } from '../../config/settings/settings.js'
import { failureReason } from './failure-reason.js'
import type { Ask, CheckStep } from './provider-check-steps.js'

const refusesClient: ReadonlySet<unknown> = new Set(['invalid_client', 'unauthorized_client'])

/** The step. Never throws. */
export async function checkClient(
  settings: ProviderSettings,
  about: {
    ask: Ask
    redirectUri: string
    /** The discovery document. */
    document: Readonly<Record<string, unknown>>
    tokenEndpoint: string
    /** Nobody was given it. */
    code: string
  },
): Promise<CheckStep> {
  const { name, clientId } = settings
  try {
    const { status, document } = await about.ask(about.tokenEndpoint, formOf(settings, about))
    const word = document?.['error']
    if (word === 'invalid_grant') {
      const message = settings.clientSecret === undefined ? 'it knows the client' : 'it takes the client and its secret'
      return { step: 'client', state: 'ok', message }
    }
    if (refusesClient.has(word) || status === 401) {
      const message = `it refuses the client ${clientId}${typeof word === 'string' ? `: ${wordOf(word)}` : ''}`
      const advice = `see signIn.providers.${name}.clientId and clientSecret; has the secret ended there?`
      return { step: 'client', state: 'fail', message, advice }
    }
    const message = `it answered ${status}${typeof word === 'string' ? ` ${wordOf(word)}` : ''} to a code that is none: this says neither`
    return { step: 'client', state: 'unknown', message, advice: 'sign in once through it' }
  } catch (error) {
    const { why } = failureReason(error)
    return { step: 'client', state: 'fail', message: `its token endpoint cannot be reached: ${why}` }
  }
}

/** A word of the registry and nothing longer, which would be a text of theirs. */
function wordOf(word: string): string {
  return /^[a-z_]{1,40}$/.test(word) ? word : 'another error'
}

function formOf(
  { clientId, clientSecret }: ProviderSettings,
  { document, code, redirectUri }: { document: Readonly<Record<string, unknown>>; code: string; redirectUri: string },
) {
  const verifier = createHash('sha256').update(code).digest('base64url')
  const body = new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: redirectUri })
  body.set('code_verifier', verifier)
  const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' }
  const methods = document['token_endpoint_auth_methods_supported']
  // As providers.ts chooses it for sign-ins.
  if (clientSecret !== undefined && !(Array.isArray(methods) && methods.includes('client_secret_post'))) {
    const pair = [clientId, clientSecret.reveal()].map((text) => new URLSearchParams({ x: text }).toString().slice(2))
    headers['authorization'] = `Basic ${Buffer.from(pair.join(':')).toString('base64')}`
  } else {
    body.set('client_id', clientId)
    if (clientSecret !== undefined) body.set('client_secret', clientSecret.reveal())
  }
  return { body: body.toString(), headers }
}
