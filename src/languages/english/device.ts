// Allowing a device, or a program without a browser.

import type { Part, Sentence } from '../sentence.js'

export const device = {
  title: 'Connect a device',
  type: 'Type the code that your device shows.',
  isThis: 'Is this the code that your device shows?',
  code: 'Code',
  codeHint: 'Eight letters. Spaces, hyphens and small letters do not matter.',
  onlyYours: 'Type only a code that a device or program in front of you shows. Nobody else needs one from you.',
  unknown: 'No device waits with this code. Look at it once more, or let the device show a new one (70018).',
  whose: 'Whose data may the device use?',
  allowTitle: 'Allow this device?',
  warningTitle: 'Only if you started this yourself',
  warning:
    'Go on only if you began this just now, on a device in front of you. If somebody sent you the code or the link, stop here: they would get what you allow.',
  requested: 'Requested',
  requestedFrom: (minutes: number, address: string) => `${ago(minutes)}, from ${address}`,
  administrator: (link: (text: string) => Part): Sentence => [
    'Some of this needs an administrator of your organisation. ',
    link('Ask for their consent'),
    ', then type the code again.',
  ],
  deny: 'Deny',
  allow: 'Allow',
  connected: 'Device connected',
  denied: 'Device denied',
  connectedText: 'Go back to your device: it goes on by itself in a few seconds.',
  deniedText:
    'Nothing was allowed. If you did not start this, somebody else may have: do not type codes that others send you.',
  close: 'You can close this page.',
}

function ago(minutes: number): string {
  if (minutes === 0) return 'just now'
  return `${minutes} ${minutes === 1 ? 'minute' : 'minutes'} ago`
}
