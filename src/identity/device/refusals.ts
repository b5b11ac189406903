// Why a device cannot be allowed here, as pages.

import { PageError, type PageErrorDetails } from '../../web/pages/page-error.js'

const again = [{ href: '/device', text: 'Type a code' }]
const refusals = {
  expired: {
    status: 400,
    title: 'This code has expired',
    what: 'It was already decided on, it is too old, or the application was disabled.',
    remedy: 'If the device is still waiting, get a new code on it and enter that one.',
    links: again,
    reason: 'device_code_over',
  },
  gone: {
    status: 400,
    title: 'This page has expired',
    what: 'It was already completed, perhaps in another tab, it timed out, or it was opened in another browser.',
    remedy: 'Check the device: if it continues, you are done. If it is still waiting, enter its code again.',
    links: again,
    reason: 'device_pending_gone',
  },
  tenant: {
    status: 403,
    title: 'You cannot use this application',
    what: 'You are signed in, but you are not a member of an organisation in which this application can be used.',
    remedy:
      'Ask an administrator of your organisation to install the application, or sign out and use another account.',
    links: [{ href: '/sign-out', text: 'Sign out' }],
    reason: 'no_tenant',
  },
  role: {
    status: 403,
    title: 'Your role does not allow this',
    what: 'The device asks for something that your role in this organisation does not allow.',
    remedy: 'Ask an administrator of your organisation for the required role.',
    links: [{ href: '/account', text: 'Your account' }],
    reason: 'no_role',
  },
  off: {
    status: 403,
    title: 'Device codes are disabled',
    what: 'Your organisation does not allow devices to sign in with a code. Nothing was allowed.',
    remedy: 'Sign in on the device with a browser, or ask an administrator of your organisation.',
    links: [{ href: '/account', text: 'Your account' }],
    reason: 'device_codes_off',
  },
  typed: {
    status: 403,
    title: 'Type the code yourself',
    what: 'The device asks for administrator permissions, and the person who sent you the link could use them in your name. Nothing was allowed.',
    remedy: 'If you started this yourself, enter the code that your device shows.',
    links: again,
    reason: 'device_code_not_typed',
  },
  factor: {
    status: 403,
    title: 'Sign in with two factors first',
    what: 'The device asks for administrator permissions: anybody who has the device could change your organisation in your name. That needs a fresh sign-in with a passkey or a second step. Nothing was allowed.',
    remedy:
      'Sign out, sign in with your passkey or second step, and type the code again at once. If you have neither, turn one on first.',
    links: [
      { href: '/sign-out', text: 'Sign out' },
      { href: '/account/second-factor', text: 'Turn on the second step' },
    ],
    reason: 'device_needs_two_factors',
  },
  administrator: {
    status: 403,
    title: 'Administrator approval required',
    what: 'The device asks for something that needs the consent of an administrator of your organisation. Nothing was allowed.',
    remedy: 'Ask an administrator to consent, then enter the code again.',
    links: again,
    reason: 'administrator_needed',
  },
} as const satisfies Record<string, PageErrorDetails>

/** The refusal of that name. */
export function deviceRefusal(name: keyof typeof refusals): PageError {
  return new PageError(refusals[name])
}
