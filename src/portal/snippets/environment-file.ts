// portcullis.env, which the programs read, so that no program has the secret in it.

import type { Application } from '../application-page.js'

/** Its text. Without a secret it is the identifiers alone. */
export function environmentFile(
  { applicationId }: Pick<Application, 'applicationId'>,
  baseUrl: string,
  clientSecret: string | undefined,
): string {
  return [
    `PORTCULLIS_ISSUER=${baseUrl}`,
    `PORTCULLIS_CLIENT_ID=${applicationId}`,
    ...(clientSecret === undefined ? [] : [`PORTCULLIS_CLIENT_SECRET=${clientSecret}`]),
  ].join('\n')
}
