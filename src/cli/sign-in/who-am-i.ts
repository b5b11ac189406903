// `portcullis whoami`: requested from the server, so that what it prints is true now.

import { ClientError } from '../../client/index.js'
import { CommandFailure, exitCodes } from '../output/exit.js'
import type { Terminal } from '../output/terminal.js'
import { asCommand } from './client-failure.js'
import { remoteAccess } from './remote-access.js'
import { readSignIn } from './saved-sign-ins.js'

export interface WhoAmI {
  server: string
  userId: string
  name?: string | undefined
  email?: string | undefined
  tenantId?: string | undefined
  permissions: readonly string[]
}

/** Who is signed in at that server. Throws CommandFailure with exit code 4 when nobody is, or is not any more. */
export async function whoAmI(server: string, terminal: Terminal): Promise<WhoAmI> {
  const { client, fetch, source } = await remoteAccess(server, terminal)
  const saved = terminal.env['PORTCULLIS_TOKEN'] ? undefined : await readSignIn(terminal, server)
  return await asCommand(server, async () => {
    const { userinfoEndpoint } = await client.metadata()
    if (userinfoEndpoint === undefined)
      throw new ClientError('malformed_answer', 'the server does not say who somebody is')
    const response = await fetch(userinfoEndpoint)
    if (response.status !== 200) throw new CommandFailure(exitCodes.failed, `the server answered ${response.status}`)
    const claims = (await response.json()) as { sub: string; name?: string; email?: string }
    const { scope = '' } = await source.token()
    const permissions = scope.split(' ').filter((name) => name !== '' && !openidWords.includes(name))
    return {
      server,
      userId: claims.sub,
      name: claims.name,
      email: claims.email,
      tenantId: saved?.tenantId,
      permissions,
    }
  })
}

const openidWords = ['openid', 'profile', 'email', 'offline_access']
