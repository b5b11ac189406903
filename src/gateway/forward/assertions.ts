// The identity that a service behind the gate gets: a signed assertion, minted once per (caller, upstream, requirement,
// permissions) and reused until it nears its end, so that signing costs nothing for a caller who is known, whichever of
// their tokens they come with. It says nothing of the token but how long it may last; where a service may exchange it
// (decision 154), it says which token it was, and each token has assertions of its own.

import { randomUUID } from 'node:crypto'
import { createCallerAssertions, subjectOf } from '../../access/caller-assertions.js'
import type { HeldAssertion, HeldAssertions } from '../../access/held-assertions.js'
import type { DelegatedPrincipal, TokenPrincipal } from '../../access/principal.js'
import { signAssertion } from '../../tokens/assertion.js'
import type { CallToken } from '../../tokens/claims.js'
import { actorOf } from '../../tokens/delegation.js'
import type { Keyring } from '../../tokens/keys/keys.js'

export interface AssertionRequest {
  principal: TokenPrincipal
  /** The upstream's name: the `aud`. */
  audience: string
  /** The ids that opened the route, and no others. */
  permissions: readonly string[]
  /** Requests that share it have the same audience and requirement; see RoutePlan.assertionSlot. */
  slot: object
  /** Whether somebody may exchange it; absent: nobody. */
  exchangeable?: boolean
}

export interface Assertions {
  /**
   * The whole Authorization value; a promise only when the signature takes long. Rejects when there is no key to sign
   * with.
   */
  authorization(request: AssertionRequest): string | Promise<string>
}

const lifeSeconds = 60
/** A token within its leeway has no life left, but the call that it opened still needs some. */
const leastLifeSeconds = 10
/** A reload brings other slots, so those whose assertions are over go when there are more. */
const fewSlots = 16

/** Builds the cache. `now` is epoch ms. */
export function createAssertions(options: { keyring: Keyring; issuer: string; now: () => number }): Assertions {
  const { keyring, issuer, now } = options
  const heldForCaller = createCallerAssertions()
  /** Of tokens that are remembered. */
  const heldForToken = new WeakMap<TokenPrincipal, HeldAssertions>()

  function heldFor({ principal, exchangeable }: AssertionRequest): HeldAssertions {
    if (exchangeable !== true || !isExchangeable(principal)) return principal.assertions ?? heldForCaller(principal)
    const held: HeldAssertions = heldForToken.get(principal) ?? new Map()
    heldForToken.set(principal, held)
    return held
  }

  function sign(request: AssertionRequest, said: { iat: number; exp: number; scope: string }) {
    const { principal, audience } = request
    return signAssertion(keyring, {
      iss: issuer,
      aud: audience,
      sub: subjectOf(principal),
      client_id: principal.applicationId,
      iat: said.iat,
      exp: said.exp,
      jti: randomUUID(),
      tid: principal.tenantId,
      idtyp: principal.kind === 'delegated' ? 'user' : 'app',
      scope: said.scope,
      ...(principal.kind === 'delegated' ? { act: actorOf(principal.applicationId, principal.via) } : {}),
      ...(request.exchangeable === true && isExchangeable(principal) ? { token: callTokenOf(principal) } : {}),
    })
  }

  function mint(request: AssertionRequest, held: HeldAssertions, scope: string): string | Promise<string> {
    const nowMs = now()
    const { generation } = keyring
    const iat = Math.floor(nowMs / 1000)
    const exp = Math.min(iat + lifeSeconds, latestEnd(request.principal, iat))
    const keep = (token: string): string => {
      const value = `Bearer ${token}`
      // A quarter of its life is left for the way to the upstream and for clocks that differ.
      const untilMs = nowMs + (exp - iat) * 750
      add(held, request.slot, { value, scope, endsAt: exp, untilMs, generation }, nowMs)
      return value
    }
    try {
      const signed = sign(request, { iat, exp, scope })
      return typeof signed === 'string' ? keep(signed) : signed.then(keep)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  return {
    authorization(request) {
      const { principal, slot } = request
      const nowMs = now()
      const scope = scopeOf(request.permissions)
      const held = heldFor(request)
      const latest = latestEnd(principal, Math.floor(nowMs / 1000))
      for (const each of held.get(slot) ?? []) {
        // A new generation of keys may have taken away the one that signed this; a token that ends sooner than the one
        // that it was made for gets one of its own.
        if (each.generation !== keyring.generation || nowMs >= each.untilMs) continue
        if (each.scope === scope && each.endsAt <= latest) return each.value
      }
      return mint(request, held, scope)
    },
  }
}

/** Whether the token of a call is one of ours for a person. */
function isExchangeable(principal: TokenPrincipal): principal is DelegatedPrincipal {
  return principal.kind === 'delegated' && principal.issuer === undefined
}

function callTokenOf({ resource, jti, credentialId, grantId, seq, keyId, expiresAt, via }: DelegatedPrincipal) {
  const token: CallToken = { aud: resource, jti, cid: credentialId, gid: grantId, seq, kid: keyId, exp: expiresAt }
  return via === undefined ? token : { ...token, via }
}

/** When an assertion for a token ends at the latest, epoch seconds. */
function latestEnd({ expiresAt }: TokenPrincipal, nowSeconds: number): number {
  return Math.max(nowSeconds + leastLifeSeconds, expiresAt)
}

function scopeOf(permissions: readonly string[]): string {
  return permissions.length === 1 ? (permissions[0] as string) : permissions.join(' ')
}

/** Those that are over make room: of this slot always, of all when there are many. */
function add(held: HeldAssertions, slot: object, added: HeldAssertion, nowMs: number): void {
  const isGood = ({ untilMs, generation }: HeldAssertion) => nowMs < untilMs && generation === added.generation
  if (held.size >= fewSlots && !held.has(slot)) {
    for (const [each, kept] of held) if (!kept.some(isGood)) held.delete(each)
  }
  held.set(slot, [...(held.get(slot)?.filter(isGood) ?? []), added])
}
