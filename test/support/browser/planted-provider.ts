// A provider in the settings of an application under test, as the configuration would have it.

import { type SecretValue, secretValue } from '../../../src/config/read/secret-value.js'
import type { ProviderSettings, Settings } from '../../../src/config/settings/settings.js'

/** Adds it, or replaces the one before, and answers its name. Nobody listens where it is, unless `more` says where. */
export function plantProvider(
  { settings }: { settings: Pick<Settings, 'signIn'> },
  more: Partial<ProviderSettings> & { clientSecret?: SecretValue | undefined } = {},
): string {
  const providers = settings.signIn.providers as Map<string, ProviderSettings>
  const issuer = 'https://127.0.0.1:1'
  providers.set('corp', {
    ...{ name: 'corp', label: 'Corp ID', issuer, clientId: 'front-door', clientSecret: secretValue('not the one') },
    ...{ scope: 'openid profile email', createUsers: false, tenantId: undefined, role: 'member' },
    ...{ roles: undefined, ca: undefined },
    ...more,
  })
  return 'corp'
}
