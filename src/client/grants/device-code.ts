// The device authorization grant (RFC 8628): a code that a person types elsewhere, and asking until they have decided,
// never faster than the server wants.

import { ClientError, OAuthRefusal } from '../errors.js'
import { elapsedMs, type Mark, markNow } from '../surroundings.js'
import { type ClientContext, postAsClient, refusalOf, requestTokens } from '../tokens/token-endpoint.js'
import type { Tokens } from '../tokens/tokens.js'
import { withClaims } from './authorization-code.js'
import { requestFields, type TokenRequest } from './client-credentials.js'

export interface DeviceSignIn {
  /** What the person types … */
  userCode: string
  /** … here, or finds filled in there. */
  verificationUri: string
  verificationUriComplete: string | undefined
  /** Seconds until the code is of no use. */
  expiresInSeconds: number
  /**
   * The tokens, once the person has allowed it. Throws ClientError `device_denied`, `device_expired`, OAuthRefusal, the
   * signal's reason.
   */
  tokens(options?: { signal?: AbortSignal | undefined }): Promise<Tokens>
}

const grantType = 'urn:ietf:params:oauth:grant-type:device_code'
/** RFC 8628 §3.2 and §3.5. */
const defaultIntervalSeconds = 5
const slowerBySeconds = 5
const slowestSeconds = 300

/** Asks for a code (§3.1). Throws OAuthRefusal, ClientError. */
export async function beginDevice(
  context: ClientContext,
  request: TokenRequest,
  signal?: AbortSignal,
): Promise<DeviceSignIn> {
  const { deviceAuthorizationEndpoint } = await context.metadata.get(signal)
  if (deviceAuthorizationEndpoint === undefined) {
    throw new ClientError('malformed_answer', 'this issuer has no device codes')
  }
  const startedAt = markNow(context.surroundings.clock)
  const answer = await postAsClient(context, deviceAuthorizationEndpoint, requestFields(request), signal)
  if (answer.status !== 200) throw refusalOf(answer)
  const { device_code: deviceCode, user_code: userCode, verification_uri: verificationUri, interval } = answer.body
  const { expires_in: expiresInSeconds, verification_uri_complete: complete } = answer.body
  const isComplete = [deviceCode, userCode, verificationUri].every((value) => typeof value === 'string' && value !== '')
  if (!isComplete || typeof expiresInSeconds !== 'number') {
    throw new ClientError('malformed_answer', 'the device code comes without what it needs')
  }
  const intervalSeconds = typeof interval === 'number' && interval > 0 ? interval : defaultIntervalSeconds
  return {
    userCode: String(userCode),
    verificationUri: String(verificationUri),
    verificationUriComplete: typeof complete === 'string' ? complete : undefined,
    expiresInSeconds,
    tokens: ({ signal: waiting } = {}) =>
      poll(context, { deviceCode: String(deviceCode), startedAt, expiresInSeconds, intervalSeconds }, waiting),
  }
}

interface Polling {
  deviceCode: string
  startedAt: Mark
  expiresInSeconds: number
  intervalSeconds: number
}

async function poll(context: ClientContext, polling: Polling, signal: AbortSignal | undefined): Promise<Tokens> {
  const { clock } = context.surroundings
  let waitSeconds = polling.intervalSeconds
  for (;;) {
    await clock.wait(waitSeconds * 1000, signal)
    if (elapsedMs(clock, polling.startedAt) >= polling.expiresInSeconds * 1000) throw expired()
    try {
      const { tokens } = await requestTokens(
        context,
        { grant_type: grantType, device_code: polling.deviceCode },
        signal,
      )
      return withClaims(context, tokens)
    } catch (error) {
      if (signal?.aborted) throw error
      waitSeconds = nextWait(error, waitSeconds)
    }
  }
}

/** Seconds until the next request (§3.5). Throws what ends the waiting. */
function nextWait(error: unknown, waitSeconds: number): number {
  if (!(error instanceof ClientError)) throw error
  const slower = (seconds: number) => Math.min(seconds, slowestSeconds)
  if (error.code === 'try_later') return Math.max(waitSeconds, error.retryAfterSeconds ?? 0)
  // While the network fails, each pause is twice as long as the one before.
  if (error.code === 'unreachable' || error.code === 'timed_out') return slower(waitSeconds * 2)
  if (!(error instanceof OAuthRefusal)) throw error
  if (error.error === 'authorization_pending') return waitSeconds
  if (error.error === 'slow_down') return slower(waitSeconds + slowerBySeconds)
  if (error.error === 'expired_token') throw expired(error)
  if (error.error === 'access_denied') throw new ClientError('device_denied', error.message, { cause: error })
  throw error
}

function expired(cause?: unknown): ClientError {
  const message = 'the device code has expired; ask for a new one'
  return new ClientError('device_expired', message, cause === undefined ? {} : { cause })
}
