// What the client says about the sign-in (OpenID Connect Core §3.1.2.1): whether to ask at all, anew, how old it may
// be, and with how many factors it should be.

import { servedClasses } from '../../oauth/authentication-class.js'
import { invalidParameter } from '../../oauth/errors/invalid-parameter.js'
import { authorizationSupport } from '../../oauth/requests/authorization-request.js'

const known: ReadonlySet<string> = new Set(authorizationSupport.prompt_values_supported)
/** Longer than any session; what is written beyond it means the same. */
const mostSeconds = 1_000_000_000

/**
 * The distinct values of `prompt`. Throws OAuthError `invalid_request`: for one that is not known, and for `none`
 * beside another.
 */
export function readPrompt(prompt: string | undefined): string[] {
  const values = splitWords(prompt)
  if (values.some((value) => !known.has(value))) throw invalidParameter('A value of prompt is not known here.')
  if (values.length > 1 && values.includes('none'))
    throw invalidParameter('prompt=none cannot stand beside another value.')
  return values
}

/** Whether no page may be shown, also when the rest of the request is wrong (C11). */
export function isSilent(prompt: string | undefined): boolean {
  return splitWords(prompt).includes('none')
}

/** Seconds since the sign-in. Throws OAuthError `invalid_request` for anything but a whole number. */
export function readMaxAge(maxAge: string | undefined): number | undefined {
  if (maxAge === undefined) return undefined
  if (!/^\d{1,15}$/.test(maxAge)) throw invalidParameter('max_age is a number of seconds.')
  return Math.min(Number(maxAge), mostSeconds)
}

/** The values of `acr_values` that are served here, the best first; the others are nothing that could be met. */
export function readAcrValues(acrValues: string | undefined): string[] {
  return servedClasses(splitWords(acrValues))
}

function splitWords(text: string | undefined): string[] {
  return [...new Set((text ?? '').split(' ').filter((value) => value !== ''))]
}
