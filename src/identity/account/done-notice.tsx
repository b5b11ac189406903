// What was just done, said once on the page that one comes back to. The address has a word of this list and nothing
// else.

import type { FastifyRequest } from 'fastify'
import type { VNode } from 'preact'
import { queryOf } from '../../web/page-address.js'
import { Notice } from '../../web/pages/elements.js'

const texts: Readonly<Record<string, string>> = {
  details: 'Your details are saved.',
  requested:
    'Your details are saved. The address changes when you open the link that is on its way to it; until then the present one stays.',
  waiting:
    'Your details are saved. The address changes when an administrator of your organisation has confirmed it; until then the present one stays.',
  email: 'Your address is confirmed.',
  password: 'Your password is changed. Every other browser is signed out, and applications have to ask again.',
  'second-factor-off': 'The second step is off. Every other browser is signed out, and applications have to ask again.',
  passkey: 'The passkey is saved.',
  'passkey-renamed': 'The passkey has its new name.',
  'passkey-removed': 'The passkey is removed. Other browsers that were signed in with a passkey are signed out.',
  'provider-linked': 'The provider is linked: you can sign in with it from now on.',
  'provider-unlinked':
    'The provider is unlinked. Other browsers that were signed in through a provider are signed out.',
  session: 'That browser is signed out.',
}

/** The word in `?done=`, when it is one of ours. */
export function doneOf(request: FastifyRequest): string | undefined {
  const word = queryOf(request).get('done') ?? ''
  return Object.hasOwn(texts, word) ? word : undefined
}

/** The notice for it. */
export function Done({ done }: { done: string | undefined }): VNode | null {
  const text = done === undefined ? undefined : texts[done]
  if (text === undefined) return null
  return (
    <Notice id="done" kind="success">
      <p>{text}</p>
    </Notice>
  )
}
