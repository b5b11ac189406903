// The French catalogue.

import type { Texts } from '../english/texts.js'
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

export const french: Texts = {
  frame,
  signIn,
  consent,
  approval,
  device,
  account,
  errors,
  ways,
  refusals,
  mails,
  permissions,
}
