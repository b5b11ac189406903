// How many tokens of an application may be out, and the way to end them all.

import type { VNode } from 'preact'
import type { Decisions } from '../../management/server/explain-schemas.js'
import { applicationPath } from '../application-page.js'
import type { PortalContext } from '../context.js'
import { span } from '../dates.js'

const most = 200

/** Counts the token requests that were granted within the life of a token. Throws ApiError. */
export async function countTokensOut(
  context: PortalContext,
  applicationId: string,
  { nowMs, lifetimeSeconds }: { nowMs: number; lifetimeSeconds: number },
): Promise<{ count: number; isLeast: boolean }> {
  const path = `/applications/${applicationId}/activity?what=token&outcome=granted&$top=${most}`
  const { value } = await context.api<Decisions>('GET', path)
  const count = value.filter(({ at }) => Date.parse(at) > nowMs - lifetimeSeconds * 1000).length
  return { count, isLeast: count === most }
}

/** The card. Tokens are not kept, so the number comes from the requests for them. */
export function TokensOut({
  context,
  applicationId,
  out,
  lifetimeSeconds,
  staleAfterMs,
}: {
  context: PortalContext
  applicationId: string
  out: { count: number; isLeast: boolean }
  lifetimeSeconds: number
  /** How long an instance goes on that hears of no change. */
  staleAfterMs: number
}): VNode {
  const { count, isLeast } = out
  const within = span(lifetimeSeconds * 1000)
  return (
    <section class="card" aria-labelledby="revoke-title">
      <h2 id="revoke-title">Revoke all tokens</h2>
      <p id="tokens-out">
        {count === 0
          ? `No token is known to have been issued in the last ${within}, which is how long one lives; refresh tokens may be out.`
          : `${isLeast ? 'At least ' : ''}${count} ${count === 1 ? 'token that was' : 'tokens that were'} issued in the last ${within} may still be out, and refresh tokens besides.`}{' '}
        Revoking refuses every one of them: at once where you are, and on every instance at the latest after{' '}
        {staleAfterMs / 1000} seconds, for one that hears of no changes for so long refuses everything.
      </p>
      <p>
        <a
          class="button danger"
          id="revoke-all"
          href={context.link(`${applicationPath(applicationId)}/sign-out-everywhere`)}
        >
          Revoke all tokens
        </a>
      </p>
    </section>
  )
}
