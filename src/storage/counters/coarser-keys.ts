// What an address stands in, for the time when there is no room for a meter of its own: a client with many addresses
// has them in few networks, so these share a meter, and others go on with one of theirs.

import { familyOf } from './keys.js'

/**
 * The networks of a key that begins with an address, the narrowest first: of IPv6 its /48 and /32, of IPv4 its /24 and
 * /16. None for other keys.
 */
export function coarserKeys(key: string): string[] {
  const rest = key.slice(familyOf(key).length)
  const head = /^;a(\d{1,3}):/.exec(rest)
  if (head === null) return []
  const address = rest.slice(head[0].length, head[0].length + Number(head[1]))
  if (/^\d+\.\d+\.\d+\.\d+$/.test(address)) {
    const bytes = address.split('.')
    return [bytes.slice(0, 3).join('.'), bytes.slice(0, 2).join('.')]
  }
  const words = firstWords(address)
  return words === undefined ? [] : [words.slice(0, 3).join(':'), words.slice(0, 2).join(':')]
}

/** The first three of the eight words of an IPv6 address, without leading zeros. */
function firstWords(address: string): string[] | undefined {
  if (!/^[\da-f:]+$/i.test(address) || !address.includes(':')) return undefined
  const [before = '', after] = address.split('::')
  const words = before === '' ? [] : before.split(':')
  const tail = after === undefined || after === '' ? [] : after.split(':')
  const zeros = Array.from({ length: Math.max(0, 8 - words.length - tail.length) }, () => '0')
  return [...words, ...zeros, ...tail].slice(0, 3).map((word) => word.replace(/^0+(?=.)/, '').toLowerCase())
}
