// The id of a session, tied to whose it is. Servers hang state on it, so who learns another's must not be able to use it;
// yet it is no authentication: each call is decided by its own token. Nothing is stored, so every instance reads what
// another has written (MCP 2025-11-25, transports, session management).

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { TokenPrincipal } from '../../access/principal.js'

export interface SessionSeal {
  /** What the client gets for the id of the server. Undefined: that is no id, so the client gets none. */
  seal(id: string, owner: SessionOwner): string | undefined
  /** The id of the server; undefined: not one that this owner was given here. */
  open(sealed: string, owner: SessionOwner): string | undefined
}

export interface SessionOwner {
  /** The id of the route. */
  route: string
  /** Undefined where no token came. */
  principal: TokenPrincipal | undefined
}

/** Of an id as it is sent: visible ASCII. */
const longest = 256
const digestLength = 43

/** Builds it. The first key is the newest; with the others it only opens. */
export function createSessionSeal(keys: readonly Uint8Array[]): SessionSeal {
  const [newest] = keys
  if (newest === undefined) throw new Error('sessions need a key')
  return {
    seal(id, owner) {
      if (id.length > longest - digestLength - 1 || !/^[\x21-\x7e]+$/.test(id)) return undefined
      return `${id}.${digest(newest, id, owner)}`
    },
    open(sealed, owner) {
      const at = sealed.length - digestLength - 1
      if (sealed.length > longest || at < 1 || sealed[at] !== '.') return undefined
      const id = sealed.slice(0, at)
      const said = Buffer.from(sealed.slice(at + 1))
      const isOurs = keys.some((key) => {
        const right = Buffer.from(digest(key, id, owner))
        return said.length === right.length && timingSafeEqual(said, right)
      })
      return isOurs ? id : undefined
    },
  }
}

function digest(key: Uint8Array, id: string, { route, principal }: SessionOwner): string {
  const userId = principal?.kind === 'delegated' ? principal.userId : null
  const whose = [
    route,
    principal?.issuer ?? null,
    principal?.tenantId ?? null,
    principal?.applicationId ?? null,
    userId,
  ]
  return createHmac('sha256', key)
    .update(JSON.stringify([id, ...whose]))
    .digest('base64url')
}
