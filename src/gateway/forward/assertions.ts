// The identity that a service behind the gate gets: a signed assertion, minted once per (token, upstream, requirement)
// and reused until it nears its end, so that signing costs nothing on a request whose token is known.

import { randomUUID } from 'node:crypto'
import type { TokenPrincipal } from '../../access/principal.js'
import { signAssertion } from '../../tokens/assertion.js'
import type { Keyring } from '../../tokens/keys/keys.js'

export interface AssertionRequest {
  principal: TokenPrincipal
  /** The upstream's name: the `aud`. */
  audience: string
  /** The ids that opened the route, and no others. */
  permissions: readonly string[]
  /** Requests that share it get the same assertion; see RoutePlan.assertionSlot. */
  slot: object
}

export interface Assertions {
  /**
   * The whole Authorization value; a promise only when it has to be signed. Throws when there is no key to sign with.
   */
  authorization(request: AssertionRequest): string | Promise<string>
}

interface Entry {
  value: string
  /** Epoch ms until which it is reused. */
  untilMs: number
  generation: number
}

const lifeSeconds = 60
/** A token within its leeway has no life left, but the call that it opened still needs some. */
const leastLifeSeconds = 10

/** Builds the cache. Its entries live no longer than the authenticator remembers their token. `now` is epoch ms. */
export function createAssertions(options: { keyring: Keyring; issuer: string; now: () => number }): Assertions {
  const { keyring, issuer, now } = options
  const entries = new WeakMap<TokenPrincipal, Map<object, Entry>>()

  const mint = async (request: AssertionRequest, nowMs: number): Promise<string> => {
    const { generation } = keyring
    const { principal } = request
    const iat = Math.floor(nowMs / 1000)
    const life = Math.min(lifeSeconds, Math.max(leastLifeSeconds, principal.expiresAt - iat))
    const token = await signAssertion(keyring, {
      iss: issuer,
      aud: request.audience,
      sub: principal.kind === 'delegated' ? principal.userId : principal.applicationId,
      client_id: principal.applicationId,
      iat,
      exp: iat + life,
      jti: randomUUID(),
      tid: principal.tenantId,
      idtyp: principal.kind === 'delegated' ? 'user' : 'app',
      scope: request.permissions.join(' '),
    })
    const value = `Bearer ${token}`
    const slots = entries.get(principal) ?? new Map<object, Entry>()
    entries.set(principal, slots)
    // A quarter of its life is left for the way to the upstream and for clocks that differ.
    slots.set(request.slot, { value, untilMs: nowMs + life * 750, generation })
    return value
  }

  return {
    authorization(request) {
      const nowMs = now()
      const known = entries.get(request.principal)?.get(request.slot)
      // A new generation of keys may have taken away the one that signed this.
      if (known !== undefined && nowMs < known.untilMs && known.generation === keyring.generation) return known.value
      return mint(request, nowMs)
    },
  }
}
