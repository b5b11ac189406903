// Settings for looking for secrets: all that is configured as a secret has a value to be looked for, everything is
// logged, nothing is throttled, and codes live as long as the looking takes.

import { randomBytes } from 'node:crypto'
import type { Document } from 'yaml'

export interface ReadableSecrets {
  configure: (document: Document) => void
  env: NodeJS.ProcessEnv
  /** What was configured and nobody may see, by what it is. */
  known: [string, string][]
}

/** New secrets, and the configuration that has them. */
export function readableSecrets(mailUrl: string): ReadableSecrets {
  const masterKey = randomBytes(32).toString('base64url')
  const providerSecret = `provider-${randomBytes(24).toString('base64url')}`
  return {
    env: { PORTCULLIS_MASTER_KEYS: masterKey },
    known: [
      ['master key', masterKey],
      ['secret at the external provider', providerSecret],
      ['password of the mail server', new URL(mailUrl).password],
    ],
    configure(document) {
      document.setIn(['log', 'level'], 'trace')
      document.setIn(['log', 'access'], true)
      document.setIn(['mail', 'url'], mailUrl)
      document.setIn(['tokens', 'code'], '10min')
      document.setIn(['ledger', 'checkpointEvery'], '1s')
      for (const name of ['perAccount', 'perAddress', 'overall']) document.setIn(['signIn', name], '1000000/min')
      document.setIn(['signIn', 'providers', 'entra'], {
        ...{ label: 'Entra ID', issuer: 'https://login.example.com/tenant/v2.0', clientId: 'portcullis' },
        clientSecret: providerSecret,
      })
    },
  }
}
