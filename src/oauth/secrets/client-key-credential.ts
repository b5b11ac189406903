// How a token names the key that its client proved itself with (`cid`).

/**
 * `jwk:<application>:<kid>`, which no secret's key id is. Developers choose the kid, so the application stands before
 * it: ending one application's key ends no other's tokens.
 */
export function clientKeyCredential(applicationId: string, kid: string): string {
  return `jwk:${applicationId}:${kid}`
}
