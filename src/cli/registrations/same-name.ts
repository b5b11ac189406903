// Names are for people, and two applications may have the same one. Who registers the second hears of it while its
// identifier is at hand: commands that name it need that from now on.

import type { Answer } from '../../management/schemas.js'
import { ServerRefusal } from '../calls/management-answer.js'
import type { ManagementCalls } from '../calls/management-calls.js'
import { printable } from '../output/table.js'
import type { Terminal } from '../output/terminal.js'

/** After a registration: says so where another application has the name. What cannot be found out is not said. */
export async function sayIfNameIsShared(
  terminal: Terminal,
  calls: Pick<ManagementCalls, 'showApplication'>,
  { name, applicationId }: Pick<Answer<'application'>, 'name' | 'applicationId'>,
): Promise<void> {
  const code = await calls.showApplication(name).then(
    () => undefined,
    (error: unknown) => (error instanceof ServerRefusal ? error.code : undefined),
  )
  if (code !== 'AmbiguousName') return
  terminal.say(`Another application has the name ${printable(name)}. Commands now need the identifier, such as`)
  terminal.say(`  portcullis call GET /api/v2/me --app ${applicationId}`)
}
