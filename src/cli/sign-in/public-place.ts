// The public address of the server that is meant, and whom to trust there: of one elsewhere what was named or kept at
// its sign-in, of this machine's what its configuration says.

import { trustedAuthorities } from '../calls/https-exchange.js'
import { readSettings } from '../commands/server/settings-file.js'
import type { Terminal } from '../output/terminal.js'
import { namedAuthorities } from './remote-access.js'
import { readSignIn } from './saved-sign-ins.js'

export interface PublicPlace {
  /** An https origin. */
  server: string
  /** PEM; undefined: the authorities that Node trusts. */
  ca: string | undefined
}

/** `server`: an origin; undefined: this machine's. `ca` names a file. Throws CommandFailure. */
export async function publicPlace(
  server: string | undefined,
  { ca, config }: { ca?: string | undefined; config?: string | undefined },
  terminal: Terminal,
): Promise<PublicPlace> {
  if (server !== undefined) {
    const named = await namedAuthorities(ca ?? terminal.env['PORTCULLIS_CA'], terminal)
    return { server, ca: named ?? (await readSignIn(terminal, server))?.ca }
  }
  const settings = await readSettings(config === undefined ? {} : { config }, terminal)
  return { server: settings.server.baseUrl, ca: await trustedAuthorities(settings, ca, terminal) }
}
