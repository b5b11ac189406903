// The numbers that a token exchange can give, with their pages; error-numbers.ts takes them in.

/** By what they mean. */
export const exchangeNumber = {
  invalidSubject: 50013,
  mayNotExchange: 7000113,
  subjectWithoutPerson: 50014,
  subjectExpired: 700024,
  subjectRevoked: 50132,
  chainTooLong: 50015,
  beyondSubject: 650053,
} as const

const n = exchangeNumber

/** Title, meaning, and how to fix it, by number. */
export const exchangeExplanations: readonly (readonly [number, readonly [string, string, string]])[] = [
  [
    n.invalidSubject,
    [
      'The subject token is not valid for this client',
      'It is malformed, was not made here, or is for an API that this application does not serve. The answer is the same for all of these.',
      'Send the assertion exactly as the gate put it after Bearer, with subject_token_type=urn:ietf:params:oauth:token-type:jwt, within its minute. Its API must name this application under exchange in the configuration.',
    ],
  ],
  [
    n.mayNotExchange,
    [
      'This application may not exchange tokens',
      'Only a web application that the configuration names under exchange of a resource may exchange the tokens of its callers.',
      'Let the operator add the applicationId to resources.NAME.exchange.applications, for the API that this application serves.',
    ],
  ],
  [
    n.subjectWithoutPerson,
    [
      'The subject token has no person behind it',
      'It is of an application that acts as itself. An exchange keeps the person of a call; here there is none.',
      'Call on with a token of your own: grant_type=client_credentials, with application permissions.',
    ],
  ],
  [
    n.subjectExpired,
    [
      'The subject token has expired',
      'It has reached its end, or has so little time left that the new token would be over before it could be used.',
      'Exchange while the call lasts. The next call of the same person brings a new assertion.',
    ],
  ],
  [
    n.subjectRevoked,
    [
      'The subject token was revoked',
      'The token, the sign-in or consent that it came from, an application of the chain or the access of the person has ended.',
      'Answer the call with a refusal: its own token does not work any more either. The person has to sign in again at the application that called.',
    ],
  ],
  [
    n.chainTooLong,
    [
      'The chain of applications is too long',
      'Each exchange adds an application that acts for the person, and only a few may follow each other.',
      'Let an application nearer to the person make the call.',
    ],
  ],
  [
    n.beyondSubject,
    [
      'More than the caller could have',
      'What comes out of an exchange is never more than the application that called, and each before it, is configured for and consented to for this person; for the API of the subject token itself, never more than that token has.',
      'Ask for less, or let an administrator configure the permission for the calling application and consent to it. The operator can set exchange.ceiling to person, so that only the role of the person bounds it.',
    ],
  ],
]
