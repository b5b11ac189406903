// Listening on a configured address, and what to say when that is not possible: which address, why, and which setting
// names it.

import type { FastifyInstance } from 'fastify'

/** `code` is the system's, such as `EADDRINUSE`; the message is for the operator who starts the server. */
export class CannotListen extends Error {
  readonly code: string

  constructor(code: string, message: string, options: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

export interface ListenAddress {
  host: string
  port: number
  /** What names the address, for people: `server.listen (PORTCULLIS_LISTEN)`. */
  setting: string
  /** Says in the log where it listens; absent: the framework's words. */
  says?: string
}

/** Listens, and answers the address as a URL. Throws CannotListen when the system refuses the address. */
export async function listenOn(app: FastifyInstance, { host, port, setting, says }: ListenAddress): Promise<string> {
  try {
    return await app.listen({ host, port, ...(says === undefined ? {} : { listenTextResolver: () => says }) })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const explain = explanations[code]
    if (explain === undefined) throw error
    const address = `${host.includes(':') ? `[${host}]` : host}:${port}`
    throw new CannotListen(code, `cannot listen on ${address}: ${explain(setting)} (${code})`, { cause: error })
  }
}

const explanations: Readonly<Record<string, (setting: string) => string>> = {
  EADDRINUSE: (setting) => `another process has this port. End it, or set ${setting} to another address`,
  EACCES: (setting) => `this user may not have this port. Set ${setting} to a port above 1023, or allow it to the user`,
  EADDRNOTAVAIL: (setting) =>
    `no network interface here has this address. Set ${setting} to one that is, or to 0.0.0.0`,
  ENOTFOUND: (setting) => `the name leads to no address. Set ${setting} to an address of this machine`,
  EAI_AGAIN: (setting) => `the name cannot be looked up now. Set ${setting} to an address of this machine`,
}

/** The public listener's. */
export const publicSetting = 'server.listen (PORTCULLIS_LISTEN)'

/** The operator listener's. */
export const operatorSetting = 'server.operator (PORTCULLIS_OPERATOR)'
