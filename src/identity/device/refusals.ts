// Why a device cannot be allowed here, as pages.

import { PageError, type PageErrorDetails } from '../../web/pages/page-error.js'

const again = [{ href: '/device', text: 'Type a code' }]
const refusals = {
  over: {
    status: 400,
    title: 'This code is not waiting any more',
    what: 'It was decided on already, it is too old, or the application was switched off.',
    remedy: 'If the device still waits, let it show a new code and type that one.',
    links: again,
    reason: 'device_code_over',
  },
  gone: {
    status: 400,
    title: 'This page is over',
    what: 'It was finished already, perhaps in another tab, it has waited for too long, or it was opened in another browser.',
    remedy: 'Look at the device: if it goes on, you are done. If it still waits, type its code again.',
    links: again,
    reason: 'device_pending_gone',
  },
  tenant: {
    status: 403,
    title: 'You cannot use this application',
    what: 'You are signed in, but you belong to no organisation in which this application can be used.',
    remedy:
      'Ask an administrator of your organisation to install the application, or sign out and use another account.',
    links: [{ href: '/sign-out', text: 'Sign out' }],
    reason: 'no_tenant',
  },
  role: {
    status: 403,
    title: 'Your role does not allow this',
    what: 'The device asks for what your role in this organisation does not allow you to do yourself.',
    remedy: 'Ask an administrator of your organisation for the role that is needed.',
    links: [{ href: '/account', text: 'Your account' }],
    reason: 'no_role',
  },
  off: {
    status: 403,
    title: 'Device codes are switched off here',
    what: 'Your organisation lets nobody sign a device in with a code. Nothing was allowed.',
    remedy: 'Sign in on the device with a browser, or ask an administrator of your organisation.',
    links: [{ href: '/account', text: 'Your account' }],
    reason: 'device_codes_off',
  },
  typed: {
    status: 403,
    title: 'Type the code yourself',
    what: 'The device asks for what administrators do. Whoever sent you the link would be able to do it in your name. Nothing was allowed.',
    remedy: 'If you started this yourself, type the code that the device in front of you shows.',
    links: again,
    reason: 'device_code_not_typed',
  },
  factor: {
    status: 403,
    title: 'Sign in with two factors first',
    what: 'The device asks for what administrators do: whoever has it could change your organisation in your name. That needs a sign-in with a passkey or a second step, of just now. Nothing was allowed.',
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
    title: 'An administrator has to allow this',
    what: 'What the device asks for needs the consent of an administrator of your organisation. Nothing was allowed.',
    remedy: 'Ask an administrator to consent, then type the code again.',
    links: again,
    reason: 'administrator_needed',
  },
} as const satisfies Record<string, PageErrorDetails>

/** The refusal of that name. */
export function deviceRefusal(name: keyof typeof refusals): PageError {
  return new PageError(refusals[name])
}
