// A new passkey (WebAuthn Level 3 §7.1): what the browser is asked to make, and the check of what it made. No
// attestation is asked for: which device somebody has is nobody's business here.

import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { addPasskey, type Passkey } from '../../users/credentials/passkeys.js'
import { displayName } from '../../web/pages/display-name.js'
import type { IdentityDependencies } from '../dependencies.js'
import { isOwnChallenge, makeChallenge, takeChallenge } from '../sign-in/passkey-challenge.js'
import { rpId } from '../sign-in/passkey-sign-in.js'
import type { Person } from '../sign-in/signed-in.js'

const Text = Type.String({ maxLength: 16_384 })

const Creation = Type.Object({
  id: Text,
  rawId: Text,
  type: Type.Literal('public-key'),
  response: Type.Object({
    attestationObject: Text,
    clientDataJSON: Text,
    transports: Type.Optional(Type.Array(Type.String({ maxLength: 32 }), { maxItems: 16 })),
  }),
  authenticatorAttachment: Type.Optional(Text),
  clientExtensionResults: Type.Optional(Type.Object({})),
})

const validator = Compile(Creation)
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
 * Remembers the passkey that `answer` (JSON of the browser) says was made; false when it was not made as asked. Throws
 * UniqueViolation when it is known already, and StoreUnavailable.
 */
export async function savePasskey(
  deps: IdentityDependencies,
  { user, browser, acting }: Person,
  { answer, name }: { answer: string; name: string },
): Promise<boolean> {
  const response = readCreation(answer)
  if (response === undefined) return false
  let signed = ''
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  // None was asked for, so no other format is read (identity L6).
  if (!(await isWithoutAttestation(response.response.attestationObject))) return false
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
  if (verified?.verified !== true || !verified.registrationInfo.userVerified) return false
  if (!(await takeChallenge(deps, user.userId, signed))) return false
  const { credential } = verified.registrationInfo
  await addPasskey(acting, {
    credentialId: credential.id,
    userId: user.userId,
    publicKey: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    transports: response.response.transports ?? [],
    name: name === '' ? 'Passkey' : displayName(name),
  })
  return true
}

async function isWithoutAttestation(attestationObject: string): Promise<boolean> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  try {
    return decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url'))).get('fmt') === 'none'
  } catch {
    return false
  }
}

function readCreation(text: string): Static<typeof Creation> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return validator.Check(value) ? value : undefined
  } catch {
    return undefined
  }
}
