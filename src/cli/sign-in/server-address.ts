// The address of a server as a person types it, and where on this machine it is remembered.

import { CommandFailure, exitCodes } from '../output/exit.js'

/** The https origin. Throws CommandFailure for anything else: what is more than an origin is no issuer. */
export function serverAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isOrigin = url?.pathname === '/' && url.search === '' && url.hash === '' && url.username === ''
  if (url?.protocol === 'https:' && isOrigin && url.password === '') return url.origin
  const message = `${JSON.stringify(text)} is not the address of a server: say https://host or https://host:port`
  throw new CommandFailure(exitCodes.usage, message)
}
