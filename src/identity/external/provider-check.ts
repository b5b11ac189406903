// Whether people can sign in at a provider as it is configured, one step after another: its discovery document, who it
// says that it is, where its endpoints are, its keys, and whether it takes what this server proves itself with. Nothing
// secret and no text of the provider's is in what is said.

import { randomBytes } from 'node:crypto'
import type { ProviderSettings } from '../../config/settings/settings.js'
import { readText } from '../../egress/answer-body.js'
import { exchange } from '../../egress/exchange.js'
import { operatorLookup } from '../../egress/operator-names.js'
import { failureReason } from './failure-reason.js'
import { discoveryUrl } from './guarded-fetch.js'
import type { Ask, CheckStep, ProviderAnswer } from './provider-check-steps.js'
import { checkClient } from './provider-client-check.js'

/** Of each request. */
const timeoutMs = 5_000
const longestBytes = 262_144

/**
 * The steps up to the first one that fails, which the others need. `redirectUri`: this server's own for the provider.
 * Never throws.
 */
export async function checkProvider(settings: ProviderSettings, redirectUri: string): Promise<CheckStep[]> {
  const ask = askerOf(settings)
  const { name, issuer } = settings
  const steps: CheckStep[] = []
  const add = (step: CheckStep) => {
    steps.push(step)
    return step.state === 'fail'
  }
  const found = await tried(() => ask(discoveryUrl(issuer)))
  const document = 'answer' in found ? found.answer.document : undefined
  if (add(discoveryStep(settings, found)) || document === undefined) return steps
  if (add(issuerStep(settings, document['issuer']))) return steps
  const endpoints = endpointsIn(document)
  if (endpoints === undefined) {
    const message = `${name} names no authorization endpoint, token endpoint and keys over https`
    add({ step: 'endpoints', state: 'fail', message, advice: 'ask who runs the provider: it is not complete' })
    return steps
  }
  add({ step: 'endpoints', state: 'ok', message: 'its endpoints are over https' })
  add(keysStep(name, await tried(() => ask(endpoints.keys))))
  add(await checkClient(settings, { ask, redirectUri, document, tokenEndpoint: endpoints.token, code: unusedCode() }))
  return steps
}

type Tried = { answer: ProviderAnswer } | { failed: unknown }

async function tried(work: () => Promise<ProviderAnswer>): Promise<Tried> {
  try {
    return { answer: await work() }
  } catch (error) {
    return { failed: error }
  }
}

function askerOf({ ca }: ProviderSettings): Ask {
  return async (url, form) => {
    const response = await exchange(url, {
      method: form === undefined ? 'GET' : 'POST',
      headers: { accept: 'application/json', ...form?.headers },
      body: form?.body,
      lookup: operatorLookup,
      ca,
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = await readText(response, longestBytes)
    return { status: response.statusCode ?? 0, document: objectIn(text) }
  }
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function discoveryStep({ name, issuer }: ProviderSettings, found: Tried): CheckStep {
  const at = discoveryUrl(issuer)
  if ('failed' in found) {
    const { why } = failureReason(found.failed)
    return { step: 'discovery', state: 'fail', message: `${name} cannot be reached: ${why}`, advice: remedy(name, why) }
  }
  const { status, document } = found.answer
  const advice = `is signIn.providers.${name}.issuer right? It is looked for at ${at}`
  if (status !== 200) return { step: 'discovery', state: 'fail', message: `${name} answered ${status}`, advice }
  if (document === undefined) {
    return { step: 'discovery', state: 'fail', message: `${name} answered no metadata`, advice }
  }
  return { step: 'discovery', state: 'ok', message: `${name} answers at ${at}` }
}

/** By the word of the error: names, certificates, time, or the connection. */
function remedy(name: string, why: string): string {
  if (/ENOTFOUND|EAI_AGAIN/.test(why)) return 'the name does not resolve here: see the issuer, and DNS of this machine'
  if (/CERT|certificate|SELF_SIGNED|UNABLE_TO|altname/i.test(why)) {
    return `its certificate is not trusted here: signIn.providers.${name}.ca names an authority of its own`
  }
  if (/abort|timeout|ETIMEDOUT/i.test(why)) return 'no answer within five seconds: is it let out of this network?'
  return `does it listen there, and is it let out of this network? See signIn.providers.${name}.issuer`
}

function issuerStep({ name, issuer }: ProviderSettings, said: unknown): CheckStep {
  if (said === issuer) return { step: 'issuer', state: 'ok', message: `${name} is ${issuer}` }
  const advice = `set signIn.providers.${name}.issuer to what its document says, letter by letter`
  if (typeof said !== 'string') {
    return { step: 'issuer', state: 'fail', message: `${name} answered no metadata: it names no issuer`, advice }
  }
  return { step: 'issuer', state: 'fail', message: `${name} calls itself another issuer`, advice }
}

function endpointsIn(document: Readonly<Record<string, unknown>>): { token: string; keys: string } | undefined {
  const secure = (name: string) => {
    const value = document[name]
    return typeof value === 'string' && /^https:\/\//i.test(value) && URL.canParse(value) ? value : undefined
  }
  const [authorization, token, keys] = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'].map(secure)
  return authorization === undefined || token === undefined || keys === undefined ? undefined : { token, keys }
}

function keysStep(name: string, found: Tried): CheckStep {
  const advice = 'nobody can sign in until its keys can be fetched'
  if ('failed' in found) {
    const { why } = failureReason(found.failed)
    return { step: 'keys', state: 'fail', message: `its keys cannot be fetched: ${why}`, advice: remedy(name, why) }
  }
  const { status, document } = found.answer
  const keys = document?.['keys']
  const signing = (Array.isArray(keys) ? keys : []).filter(
    (key: { use?: unknown; kty?: unknown } | null) => key?.use !== 'enc' && key?.kty !== 'oct',
  )
  if (status !== 200 || signing.length === 0) {
    return { step: 'keys', state: 'fail', message: `it answered ${status} and no keys that sign`, advice }
  }
  const message = signing.length === 1 ? 'it has one key that signs' : `it has ${signing.length} keys that sign`
  return { step: 'keys', state: 'ok', message }
}

/** One that the provider never gave out. */
function unusedCode(): string {
  return `check-${randomBytes(24).toString('base64url')}`
}
