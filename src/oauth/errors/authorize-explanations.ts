// The numbers that only the authorization endpoint gives, with their pages; error-numbers.ts takes them in.

/** By what they mean. */
export const authorizeNumber = {
  interactionRequired: 16000,
  noRole: 50105,
  badCodeChallenge: 50147,
  redirectMismatch: 50011,
  loginRequired: 50058,
  unmetRequirements: 50076,
  declined: 65004,
  consentRequired: 65005,
  unsupportedResponseType: 70005,
  requestObject: 90101,
} as const

const n = authorizeNumber

/** Title, meaning, and how to fix it, by number. */
export const authorizeExplanations: readonly (readonly [number, readonly [string, string, string]])[] = [
  [
    n.interactionRequired,
    [
      'A person has to decide something',
      'The request said prompt=none, but a person has to choose or answer something before there can be a code.',
      'Send the request again without prompt=none, in a window that the person sees.',
    ],
  ],
  [
    n.redirectMismatch,
    [
      'The redirect URI is not registered',
      'The redirect_uri of the request is not, character by character, one of those that the application has registered. Nobody is sent to an address that is not registered.',
      'Register the address exactly as the application sends it: scheme, host, port, path, query and letter case all count. Only the port of a native application on a loopback address may differ.',
    ],
  ],
  [
    n.loginRequired,
    [
      'Nobody is signed in',
      'The request said prompt=none, but nobody is signed in in this browser, or not recently enough, or not the person that the request is for.',
      'Send the request again without prompt=none, so that the person can sign in.',
    ],
  ],
  [
    n.unmetRequirements,
    [
      'The sign-in cannot be as strong as demanded',
      'The claims parameter demanded an acr as essential that is not served here, or the person has no second factor with which to reach it.',
      'Ask for a value of acr_values_supported. Let the person set up a second factor or a passkey under Your account, then send the request again; or ask with acr_values, and look at the acr of the ID token.',
    ],
  ],
  [
    n.noRole,
    [
      'The role in the tenant does not allow it',
      'A permission that an application uses for a person never allows more than the person may do in the tenant, and this role allows nothing of what was requested.',
      'Ask an administrator of the tenant for the role that is needed, or let the application ask for less.',
    ],
  ],
  [
    n.badCodeChallenge,
    [
      'The PKCE challenge is missing or wrong',
      'The client has to prove with PKCE that it is the one that requested the code. The challenge is missing, is not the base64url form of a SHA-256 hash, or its method is not S256.',
      'Send code_challenge and code_challenge_method=S256, and the code_verifier with the code. Native applications always have to, web applications where the registration says so.',
    ],
  ],
  [
    n.declined,
    [
      'The person declined',
      'The person did not allow the application what it requested.',
      'Nothing has to be fixed. Ask again when the person wants to use what needs the permission.',
    ],
  ],
  [
    n.consentRequired,
    [
      'A person has to allow it first',
      'The request said prompt=none, but the person, or an administrator of the tenant, has not allowed the application all that it asks for. Native applications need consent every time, because anybody could have started them.',
      'Send the request again without prompt=none, so that the person sees what is requested.',
    ],
  ],
  [
    n.unsupportedResponseType,
    [
      'Unsupported response type',
      'The authorization endpoint gives codes only. Tokens in an address end up in logs and histories.',
      'Send response_type=code, and exchange the code at the token endpoint.',
    ],
  ],
  [
    n.requestObject,
    [
      'Request objects are not read',
      'The request had the parameter request or request_uri. Neither is read here, and nothing is ever fetched from an address in a request.',
      'Send the parameters themselves, in the query or as a form.',
    ],
  ],
]
