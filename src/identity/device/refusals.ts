// Why a device cannot be allowed here, as pages.

import type { Texts } from '../../languages/english/texts.js'
import { errorText, PageError, type PageErrorDetails } from '../../web/pages/page-error.js'

const again = [{ href: '/device', text: ({ ways }: Texts) => ways.device.again }]
const refusals = {
  expired: {
    status: 400,
    ...errorText(({ ways }) => ways.device.expired),
    links: again,
    reason: 'device_code_over',
  },
  gone: {
    status: 400,
    ...errorText(({ ways }) => ways.device.gone),
    links: again,
    reason: 'device_pending_gone',
  },
  tenant: {
    status: 403,
    ...errorText(({ ways }) => ways.device.tenant),
    links: [{ href: '/sign-out', text: ({ frame }: Texts) => frame.signOut }],
    reason: 'no_tenant',
  },
  role: {
    status: 403,
    ...errorText(({ ways }) => ways.device.role),
    links: [{ href: '/account', text: ({ frame }: Texts) => frame.yourAccount }],
    reason: 'no_role',
  },
  off: {
    status: 403,
    ...errorText(({ ways }) => ways.device.off),
    links: [{ href: '/account', text: ({ frame }: Texts) => frame.yourAccount }],
    reason: 'device_codes_off',
  },
  typed: {
    status: 403,
    ...errorText(({ ways }) => ways.device.typed),
    links: again,
    reason: 'device_code_not_typed',
  },
  factor: {
    status: 403,
    ...errorText(({ ways }) => ways.device.factor),
    links: [
      { href: '/sign-out', text: ({ frame }: Texts) => frame.signOut },
      { href: '/account/second-factor', text: ({ ways }: Texts) => ways.device.turnOn },
    ],
    reason: 'device_needs_two_factors',
  },
  administrator: {
    status: 403,
    ...errorText(({ ways }) => ways.device.administrator),
    links: again,
    reason: 'administrator_needed',
  },
} as const satisfies Record<string, PageErrorDetails>

/** The refusal of that name. */
export function deviceRefusal(name: keyof typeof refusals): PageError {
  return new PageError(refusals[name])
}
