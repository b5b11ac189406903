// Permissions in plain sentences, for the people who decide about them (C1), and the place that they are sent to.

import type { Catalogue } from '../../config/settings/settings.js'
import { isOpenidWord } from '../../directory/consents/consent-rules.js'
import type { PermissionRef } from '../../directory/records.js'
import { displayName } from '../../web/pages/display-name.js'

export interface Sentence {
  ref: PermissionRef
  /** What it lets the application do. */
  text: string
  /** The API that it is of; undefined for our own, and for OpenID Connect's words. */
  resource: string | undefined
}

const words: Readonly<Record<string, string>> = {
  openid: 'Sign you in, and recognise you when you come back.',
  profile: 'See your name.',
  email: 'See your e-mail address.',
  offline_access: 'Keep this access while you are away, until you withdraw it.',
}

const wordsForEverybody: Readonly<Record<string, string>> = {
  openid: 'Sign people in, and recognise them when they come back.',
  profile: 'See the names of people.',
  email: 'See the e-mail addresses of people.',
  offline_access: 'Keep this access while people are away, until it is withdrawn.',
}

/** The sentence of a permission; `whose` says whether it is about the reader or about everybody in a tenant. */
export function sentenceOf(catalogue: Catalogue, ref: PermissionRef, whose: 'own' | 'everybody' = 'own'): Sentence {
  if (isOpenidWord(ref)) {
    const text = (whose === 'own' ? words : wordsForEverybody)[ref.id] ?? ref.id
    return { ref, text, resource: undefined }
  }
  const definition = catalogue.find(ref.kind, ref.resource, ref.id)
  const name = catalogue.resources.get(ref.resource)?.name ?? ref.resource
  const described = definition === undefined || definition.describe === '' ? ref.id : definition.describe
  return {
    ref,
    text: displayName(described, 400),
    resource: ref.resource === catalogue.own.id ? undefined : displayName(name),
  }
}

/** Where one is sent afterwards, in words: a host, or something on this device. `undefined`: nowhere. */
export function destinationOf(redirectUri: string | undefined): string {
  if (redirectUri === undefined || !URL.canParse(redirectUri)) return 'The device that sent the request'
  const { protocol, hostname, host } = new URL(redirectUri)
  if (protocol !== 'https:' && protocol !== 'http:') return `A program on this device (${protocol})`
  const loopback = hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]'
  return loopback ? `A program on this device (${host})` : host
}
