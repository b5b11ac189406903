// Whether device codes may be used (contract §8): each of server, tenant and application can switch them off, and the
// command line's own application, whose identifier everybody knows, may use them only where the server says so. A
// person who is talked into typing somebody else's code signs them in (RFC 8628 §5.4).

import type { Settings } from '../config/settings/settings.js'
import type { Registration, Tenant } from '../directory/records.js'
import { commandLineClient } from '../oauth/command-line-client.js'
import { errorNumber } from '../oauth/errors/error-numbers.js'
import { OAuthError } from '../oauth/errors/errors.js'

type Allowing = { settings: { signIn: Pick<Settings['signIn'], 'deviceCodes'> } }

/** Whether the application may, in that tenant where one is known; else a sentence that says why not. */
export function deviceCodesOff(
  { settings }: Allowing,
  { applicationId, deviceCodes }: Pick<Registration, 'applicationId' | 'deviceCodes'>,
  tenant: Pick<Tenant, 'deviceCodes'> | undefined,
): string | undefined {
  const allowed = settings.signIn.deviceCodes
  if (allowed === 'off') return 'Device codes are switched off on this server.'
  if (applicationId === commandLineClient.applicationId && allowed !== 'all') {
    return 'Device codes are switched off for the command line on this server: sign in with the browser of this machine.'
  }
  if (deviceCodes === 'off') return 'Device codes are switched off for this application.'
  return tenant?.deviceCodes === 'off' ? 'Device codes are switched off in this tenant.' : undefined
}

/** Throws OAuthError `unauthorized_client` (RFC 6749 §5.2) where they are off. */
export function checkDeviceCodesAllowed(
  deps: Allowing,
  registration: Pick<Registration, 'applicationId' | 'deviceCodes'>,
  tenant: Pick<Tenant, 'deviceCodes'> | undefined,
): void {
  const why = deviceCodesOff(deps, registration, tenant)
  if (why === undefined) return
  throw new OAuthError('unauthorized_client', why, { number: errorNumber.grantNotRegistered })
}
