// What a test knows about each token: whose it is, and since when it must not work any more. It says what an answer to
// a request with that token had to be.

/** How long after a revocation was answered an instance may still accept (contract §3). */
export const promiseMs = 1_000

/**
 * The same for an instance that hears nothing: its view is stale after 5 s, and a little is for the request in hand.
 */
export const cutOffMs = 5_500

export interface LedgerToken {
  readonly text: string
  readonly jti: string
  readonly applicationId: string
  readonly tenantId: string
  readonly credentialId: string
  readonly seq: number
  readonly kid: string
  /** performance.now() when somebody began to revoke it, and when that was answered. */
  revokingMs: number | undefined
  revokedMs: number | undefined
  /** It was never good: forged, or without the permission that it is used for. */
  readonly never: 'forged' | 'unpermitted' | undefined
}

/** A request as the client saw it. */
export interface Exchange {
  nonce: string
  token: LedgerToken
  /** performance.now() */
  sentMs: number
  endedMs: number
  /** 0: the connection broke. */
  status: number
  /** Where it was sent: `balancer` or an instance's name. */
  via: string
  /** What of a 5xx was not as promised, or that the nonce was not its own. */
  fault: string | undefined
  /** The body of a 5xx, its beginning. */
  said?: string | undefined
}

/** What the token says, without verifying it. Throws when it is none. */
export function ledgerToken(text: string, never?: LedgerToken['never']): LedgerToken {
  const [head = '', body = ''] = text.split('.')
  const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { kid: string }
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, string | number>
  return {
    text,
    kid,
    jti: String(claims['jti']),
    applicationId: String(claims['client_id']),
    tenantId: String(claims['tid']),
    credentialId: String(claims['cid']),
    seq: Number(claims['seq']),
    revokingMs: undefined,
    revokedMs: undefined,
    never,
  }
}

/** Carries a revocation out and writes down, for each of its tokens, from when on they may and must be refused. */
export async function whileRevoking<T>(tokens: readonly LedgerToken[], revoke: () => Promise<T>): Promise<T> {
  const started = performance.now()
  for (const token of tokens) token.revokingMs ??= started
  const result = await revoke()
  const answered = performance.now()
  for (const token of tokens) token.revokedMs ??= answered
  return result
}

/** Whether a request that was sent then must not be let through any more; `boundMs` is the promise where it went. */
export function mustRefuse(token: LedgerToken, sentMs: number, boundMs: number): boolean {
  return token.never !== undefined || (token.revokedMs !== undefined && sentMs > token.revokedMs + boundMs)
}

/** Why this answer is wrong, or undefined. What broke, and 5xx, is judged elsewhere: it depends on what was done. */
export function wrongAnswer({ token, sentMs, endedMs, status }: Exchange, boundMs: number): string | undefined {
  if (status === 0 || status >= 500) return undefined
  if (status < 300) return mustRefuse(token, sentMs, boundMs) ? `${status} with ${describe(token)}` : undefined
  if (token.never === 'unpermitted') return status === 403 ? undefined : `${status} in place of 403`
  const mayRefuse = token.never !== undefined || (token.revokingMs !== undefined && endedMs >= token.revokingMs)
  if (status === 401) return mayRefuse ? undefined : 'a good token was refused with 401'
  return `unexpected status ${status}`
}

function describe(token: LedgerToken): string {
  return token.never === undefined
    ? 'a token whose revocation was answered long enough ago'
    : `a token that is ${token.never}`
}
