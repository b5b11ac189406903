// Where userinfo is. Tokens that are good for nothing else name it as their audience.

/** The path of the userinfo endpoint. */
export const userinfoPath = '/api/v2/oauth2/v2.0/userinfo'
