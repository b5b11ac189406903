// Signing in with a passkey (WebAuthn Level 3 §7.2): something that one has and, because the authenticator verified its
// person, something that one knows or is; two factors in one step.

import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import { Type } from 'typebox'
import { findPasskey, notePasskey } from '../../../users/credentials/passkeys.js'
import type { Browser } from '../../../web/browser.js'
import type { IdentityDependencies } from '../../dependencies.js'
import { isOwnChallenge, makeChallenge, takeChallenge } from './challenge.js'
import { credentialReader } from './credential.js'

const Text = Type.String({ maxLength: 4096 })

const readAssertion = credentialReader(
  Text,
  Type.Object({
    authenticatorData: Text,
    clientDataJSON: Text,
    signature: Text,
    userHandle: Type.Optional(Text),
  }),
)

/** What the browser has to let a passkey sign: WebAuthn's PublicKeyCredentialRequestOptionsJSON. */
export function passkeyRequest(deps: IdentityDependencies, browser: Browser): object {
  return {
    challenge: makeChallenge(deps, browser, 'get').toString('base64url'),
    rpId: rpId(deps),
    userVerification: 'required',
    timeout: 300_000,
    allowCredentials: [],
  }
}

/** The host that passkeys are made for: of this address and no other. */
export function rpId({ settings }: Pick<IdentityDependencies, 'settings'>): string {
  return new URL(settings.server.baseUrl).hostname
}

/**
 * The user whose passkey signed the challenge that this browser was given; undefined for anything else, without
 * saying what was wrong with it. Throws StoreUnavailable.
 */
export async function provenByPasskey(
  deps: IdentityDependencies,
  browser: Browser,
  text: string,
): Promise<{ userId: string; credentialId: string } | undefined> {
  const answer = readAssertion(text)
  if (answer === undefined) return undefined
  const passkey = await findPasskey(deps.store.reader, answer.id)
  if (passkey === undefined) return undefined
  let signed = ''
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const verified = await verifyAuthenticationResponse({
    response: { clientExtensionResults: {}, ...answer } as AuthenticationResponseJSON,
    expectedChallenge: (challenge) => {
      signed = challenge
      return isOwnChallenge(deps, browser, 'get', challenge)
    },
    expectedOrigin: deps.settings.server.baseUrl,
    expectedRPID: rpId(deps),
    requireUserVerification: true,
    credential: {
      id: passkey.credentialId,
      publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
      counter: passkey.counter,
    },
  }).catch(() => undefined)
  if (verified?.verified !== true || !verified.authenticationInfo.userVerified) return undefined
  const { newCounter } = verified.authenticationInfo
  const { userId, credentialId } = passkey
  if (!(await takeChallenge(deps, userId, signed))) return undefined
  return (await notePasskey(deps.users, { credentialId, counter: newCounter })) ? { userId, credentialId } : undefined
}
