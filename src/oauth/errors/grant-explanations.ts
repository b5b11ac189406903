// The numbers that redeeming a code, a refresh token or a user's access token can give, with their pages;
// error-numbers.ts takes them in.

/** By what they mean. */
export const grantNumber = {
  invalidGrant: 70000,
  expiredGrant: 70008,
  codeRedeemed: 54005,
  wrongVerifier: 501481,
  refreshReused: 700084,
  refreshExpired: 700082,
  grantEnded: 50173,
  accessLost: 50057,
  factorDemanded: 50079,
  invalidAccessToken: 500133,
} as const

const n = grantNumber

/** Title, meaning, and how to fix it, by number. */
export const grantExplanations: readonly (readonly [number, readonly [string, string, string]])[] = [
  [
    n.invalidGrant,
    [
      'The code or token is not one of this client',
      'The code or refresh token is unknown, malformed, or was given to another application. The answer is the same for all of these.',
      'Redeem a code with the application that requested it, once, as soon as it arrives. When a refresh token is refused, send the person through authorization again.',
    ],
  ],
  [
    n.expiredGrant,
    [
      'The code has expired',
      'An authorization code lives for one minute, and this one was redeemed later.',
      'Redeem the code as soon as it arrives, and make sure that the clock of neither side is in the way. Send the person through authorization again.',
    ],
  ],
  [
    n.codeRedeemed,
    [
      'The code was redeemed already',
      'An authorization code works once. It came a second time, so somebody else may have it: what was issued from it has been revoked.',
      'Send the person through authorization again. Look for what redeems twice: a page that reloads, a request that is repeated, two servers with the same callback.',
    ],
  ],
  [
    n.wrongVerifier,
    [
      'The code verifier does not fit',
      'code_verifier is missing, does not belong to the code_challenge of the authorization request, or came without there having been one.',
      'Keep the verifier of each authorization request until its code has been redeemed: 43 to 128 characters, whose SHA-256 in base64url was the challenge.',
    ],
  ],
  [
    n.refreshReused,
    [
      'The refresh token was used already',
      'Every use of a refresh token gives a new one and ends the old. This one came again long after it was used, so somebody else may have it: all tokens of the grant have been revoked.',
      'Always keep the newest refresh token and use it in one place only. Send the person through authorization again.',
    ],
  ],
  [
    n.refreshExpired,
    [
      'The refresh token has expired',
      'The refresh token was not used for too long, or the sign-in that it comes from is too long ago.',
      'Send the person through authorization again.',
    ],
  ],
  [
    n.grantEnded,
    [
      'The grant has ended',
      'What the person allowed this application was withdrawn, or ended with a sign-out, a new password or a revocation.',
      'Send the person through authorization again.',
    ],
  ],
  [
    n.accessLost,
    [
      'The person has no access any more',
      'The account is disabled, is no longer a member of the tenant, or the application is no longer there.',
      'An administrator of the tenant can see which. Send the person through authorization again once that is fixed.',
    ],
  ],
  [
    n.factorDemanded,
    [
      'A second factor is needed now',
      'The person signed in with one factor, and their organisation, or this server, has demanded two of them since.',
      'Send the person through authorization again: they are led to set up or show a second factor, and come back with a code.',
    ],
  ],
  [
    n.invalidAccessToken,
    [
      'The access token is missing or not valid',
      'The request needs a live access token of a signed-in user in the Authorization header, whose scope has openid.',
      'Send Authorization: Bearer and the access token from a request with the scope openid. Get a new one when it has expired.',
    ],
  ],
]
