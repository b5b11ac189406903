// A new passkey (WebAuthn Level 3 §7.1): the options for the browser that makes it, and the check of what it made. No
// attestation is requested: which device somebody has is nobody's business here.

import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import { Type } from 'typebox'
import { addPasskey, type Passkey } from '../../users/credentials/passkeys.js'
import { displayName } from '../../web/pages/display-name.js'
import type { IdentityDependencies } from '../dependencies.js'
import { isOwnChallenge, makeChallenge, takeChallenge } from '../sign-in/passkeys/challenge.js'
import { credentialReader } from '../sign-in/passkeys/credential.js'
import { rpId } from '../sign-in/passkeys/prove-by-passkey.js'
import type { Person } from '../sign-in/signed-in.js'

const Text = Type.String({ maxLength: 16_384 })

const readCreation = credentialReader(
  Text,
  Type.Object({
    attestationObject: Text,
    clientDataJSON: Text,
    transports: Type.Optional(Type.Array(Type.String({ maxLength: 32 }), { maxItems: 16 })),
  }),
)
/** COSE: EdDSA, ES256, RS256. */
const algorithms = [-8, -7, -257]

/** WebAuthn's PublicKeyCredentialCreationOptionsJSON for this person. */
export function passkeyCreation(
  deps: IdentityDependencies,
  { user, browser }: Person,
  existing: readonly Pick<Passkey, 'credentialId' | 'transports'>[],
): object {
  return {
    rp: { id: rpId(deps), name: 'Portcullis' },
    user: {
      id: Buffer.from(user.userId).toString('base64url'),
      name: user.email === '' ? displayName(user.name) : user.email,
      displayName: displayName(user.name),
    },
    challenge: makeChallenge(deps, browser, `create:${user.userId}`).toString('base64url'),
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
    timeout: 300_000,
    attestation: 'none',
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    excludeCredentials: existing.map(({ credentialId, transports }) => ({
      id: credentialId,
      type: 'public-key',
      transports,
    })),
  }
}

/**
 * Remembers the passkey that `answer` (JSON of the browser) says was made, and answers its credential id; undefined when
 * it was not made as requested. Throws UniqueViolation when it is known already, and StoreUnavailable.
 */
export async function savePasskey(
  deps: IdentityDependencies,
  { user, browser, acting }: Person,
  { answer, name }: { answer: string; name: string },
): Promise<string | undefined> {
  const response = readCreation(answer)
  if (response === undefined) return undefined
  let signed = ''
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  // None was requested, so no other format is read (identity L6).
  if (!(await isWithoutAttestation(response.response.attestationObject))) return undefined
  const verified = await verifyRegistrationResponse({
    response: { clientExtensionResults: {}, ...response } as RegistrationResponseJSON,
    expectedChallenge: (challenge) => {
      signed = challenge
      return isOwnChallenge(deps, browser, `create:${user.userId}`, challenge)
    },
    expectedOrigin: deps.settings.server.baseUrl,
    expectedRPID: rpId(deps),
    requireUserVerification: true,
    supportedAlgorithmIDs: algorithms,
  }).catch(() => undefined)
  if (verified?.verified !== true || !verified.registrationInfo.userVerified) return undefined
  if (!(await takeChallenge(deps, user.userId, signed))) return undefined
  const { credential } = verified.registrationInfo
  await addPasskey(acting, {
    credentialId: credential.id,
    userId: user.userId,
    publicKey: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    transports: response.response.transports ?? [],
    name: name === '' ? 'Passkey' : displayName(name),
  })
  return credential.id
}

async function isWithoutAttestation(attestationObject: string): Promise<boolean> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  try {
    return decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url'))).get('fmt') === 'none'
  } catch {
    return false
  }
}
