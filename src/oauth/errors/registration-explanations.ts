// The numbers that registration by standard gives (RFC 7591 §3.2.2), with their pages; error-numbers.ts takes them in.

/** By what they mean. */
export const registrationNumber = {
  clientMetadata: 90112,
  registrationToken: 90113,
  softwareStatement: 90114,
  registeredRedirectUri: 500111,
  grantNotRegistered: 700051,
} as const

const n = registrationNumber

/** Title, meaning, and how to fix it, by number. */
export const registrationExplanations: readonly (readonly [number, readonly [string, string, string]])[] = [
  [
    n.clientMetadata,
    [
      'The client metadata cannot be registered',
      'A value of the registration is of the wrong type, contradicts another one, asks for something that is not served here, or goes beyond what the registration token allows.',
      'The description names the member. Send a JSON object as RFC 7591 section 2 describes it, with keys by value, and compare it with the metadata of this service.',
    ],
  ],
  [
    n.registrationToken,
    [
      'The token for registering is not valid',
      'Registering takes an initial access token, and changing a registration takes the registration access token that came with it. The one that was sent is unknown, used up, revoked or over.',
      'Ask an administrator of the tenant for a new registration token. For a client that exists, use the registration_access_token of the last answer.',
    ],
  ],
  [
    n.softwareStatement,
    [
      'Software statements are not accepted',
      'The registration contains a software_statement, and this service trusts nobody who could have signed one.',
      'Leave software_statement out and send the metadata as plain members.',
    ],
  ],
  [
    n.registeredRedirectUri,
    [
      'The redirect URI cannot be registered',
      'A redirect URI is missing where the client needs one, or is not one that may be registered for this kind of application.',
      'Use https. A native application may also use http on loopback, or a private-use scheme with a dot, such as com.example.app:/callback.',
    ],
  ],
  [
    n.grantNotRegistered,
    [
      'The client did not register this grant',
      'The application registered itself with a list of grant types, and the request needs one that is not among them.',
      'Add the grant type to grant_types of the registration (RFC 7592 section 2.2), or let the application use one that it has.',
    ],
  ],
]
