// The three kinds of application that a developer has in mind, and what each is in a registration.

import type { Application } from '../application-page.js'

interface Kind {
  title: string
  /** Who it acts as, in a sentence. */
  what: string
  /** What it proves itself by, and what the form asks for. */
  how: string
  type: Application['type']
}

export type KindId = 'server' | 'web' | 'native'

/** In the order in which they are offered. */
export const kinds: Readonly<Record<KindId, Kind>> = {
  server: {
    title: 'Server',
    what: 'A program without users: a job, a service, a script. It acts as itself.',
    how: 'It has a private key and uses application permissions. Only a name is needed.',
    type: 'web',
  },
  web: {
    title: 'Web app',
    what: 'A site with a server of its own. People sign in, and it acts for them.',
    how: 'It has a private key on its server, and a redirect URI where people come back to.',
    type: 'web',
  },
  native: {
    title: 'Native, mobile or single-page',
    what: 'An app on somebody’s device or in their browser. People sign in, and it acts for them.',
    how: 'It can keep no secret, so it has none: PKCE protects each sign-in.',
    type: 'native',
  },
}

/** The kind that the address names. */
export function kindNamed(word: string | null): KindId | undefined {
  return word !== null && Object.hasOwn(kinds, word) ? (word as KindId) : undefined
}

/** What an application is by what was registered: a web application that nobody can come back to is a server. */
export function kindOf({ type, redirectUris }: Pick<Application, 'type' | 'redirectUris'>): KindId {
  if (type === 'native') return 'native'
  return redirectUris.length === 0 ? 'server' : 'web'
}
