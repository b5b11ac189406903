// What a page and a program without a library do alike: they look at what came back, and turn the code into a token.

import { endpoints } from './addresses.js'
import type { SnippetFacts } from './facts.js'
import { hasSecret } from './language.js'

/** A line of a form that holds the secret of an application that has one. */
export const secretLine = 'client_secret: process.env.PORTCULLIS_CLIENT_SECRET,'

/**
 * Lines within a function that has `back` (what the address of the answer says), `state`, `verifier`, `redirectUri` and
 * `clientId`; afterwards there is `token`.
 */
export function codeRedemption(facts: SnippetFacts): string {
  return `  if (back.get('state') !== state) throw new Error('This is not the answer to that sign-in.')
  if (!back.has('code')) throw new Error(back.get('error_description') ?? 'There is no code.')
  const answer = await fetch('${endpoints(facts).token}', {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: back.get('code'),
      redirect_uri: redirectUri,
      code_verifier: verifier,
      client_id: clientId,${hasSecret(facts) ? `\n      ${secretLine}` : ''}
    }),
  })
  const { access_token: token, error_description: reason } = await answer.json()
  if (token === undefined) throw new Error(reason)`
}
