// The numbers that only device codes give (RFC 8628 §3.5), with their pages; error-numbers.ts takes them in.

/** By what they mean. */
export const deviceNumber = {
  authorizationPending: 70016,
  badUserCode: 70018,
  deviceCodeExpired: 70019,
  slowDown: 70037,
} as const

const n = deviceNumber

/** Title, meaning, and how to fix it, by number. */
export const deviceExplanations: readonly (readonly [number, readonly [string, string, string]])[] = [
  [
    n.authorizationPending,
    [
      'Nobody has decided yet',
      'The person who was shown the code has not typed it, or has not said yes or no yet.',
      'Wait for the number of seconds in interval, then ask again with the same device_code, until it expires.',
    ],
  ],
  [
    n.badUserCode,
    [
      'The code is not known',
      'The code that was typed is not one that a device is waiting for: it was mistyped, is too old, or was used already.',
      'Compare it with what the device shows. If it is too old, let the device show a new one.',
    ],
  ],
  [
    n.deviceCodeExpired,
    [
      'The device code is too old',
      'Nobody allowed it in the time that the answer to the device authorization request named in expires_in.',
      'Ask for a new device code and show the person its code.',
    ],
  ],
  [
    n.slowDown,
    [
      'Polled too often',
      'The client polled again before the interval was over. Each time the interval grows by five seconds, for this device code.',
      'Add five seconds to the interval that you wait between two requests (RFC 8628 section 3.5).',
    ],
  ],
]
