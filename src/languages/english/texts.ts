// The English catalogue. The others are objects of its type, so that a text that is missing in one is an error of types.

import { approval } from './approval.js'
import { consent } from './consent.js'
import { device } from './device.js'
import { errors } from './errors.js'
import { frame } from './frame.js'
import { mails } from './mails.js'
import { permissions } from './permissions.js'
import { refusals } from './refusals.js'
import { signIn } from './sign-in.js'
import { ways } from './ways.js'
import { account } from './your-account.js'

export const english = { frame, signIn, consent, approval, device, account, errors, ways, refusals, mails, permissions }

/** What every language says. */
export type Texts = typeof english
