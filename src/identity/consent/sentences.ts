// Permissions in plain sentences, for the people who decide about them (C1), and the place that they are sent to.

import type { Catalogue } from '../../config/settings/settings.js'
import { isOpenidWord } from '../../directory/consents/consent-rules.js'
import type { PermissionRef } from '../../directory/records.js'
import type { Texts } from '../../languages/english/texts.js'
import type { Language } from '../../languages/language.js'
import { textsIn } from '../../languages/texts.js'
import { translated } from '../../languages/translations.js'
import { displayName } from '../../web/pages/display-name.js'

export interface Sentence {
  ref: PermissionRef
  /** What it lets the application do. */
  text: string
  /** The language of that text, where it is not the one of the reader. */
  lang: Language | undefined
  /** The API that it is of; undefined for our own, and for OpenID Connect's words. */
  resource: string | undefined
}

/**
 * The sentence of a permission; `whose` says whether it is about the reader or about everybody in a tenant, `language`
 * is the one of the reader. A text that there is not in it stays in the one it was written in.
 */
export function sentenceOf(
  catalogue: Catalogue,
  ref: PermissionRef,
  whose: 'own' | 'everybody' = 'own',
  language: Language = 'en',
): Sentence {
  if (isOpenidWord(ref)) {
    const words: Readonly<Record<string, string>> = textsIn(language).consent[whose]
    return { ref, text: words[ref.id] ?? ref.id, lang: undefined, resource: undefined }
  }
  const definition = catalogue.find(ref.kind, ref.resource, ref.id)
  const name = catalogue.resources.get(ref.resource)?.name ?? ref.resource
  const own = { text: definition?.describe ?? '', translations: definition?.descriptions, own: catalogue.language }
  const described = translated(own, language)
  const isId = described.text === ''
  return {
    ref,
    text: displayName(isId ? ref.id : described.text, 400),
    lang: isId || described.language === language ? undefined : described.language,
    resource: ref.resource === catalogue.own.id ? undefined : displayName(name),
  }
}

/** Where one is sent afterwards, in words: a host, or something on this device. `undefined`: nowhere. */
export function destinationOf(consent: Texts['consent'], redirectUri: string | undefined): string {
  if (redirectUri === undefined || !URL.canParse(redirectUri)) return consent.toDevice
  const { protocol, hostname, host } = new URL(redirectUri)
  if (protocol !== 'https:' && protocol !== 'http:') return consent.toProgram(protocol)
  const loopback = hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]'
  return loopback ? consent.toProgram(host) : host
}
