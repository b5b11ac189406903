// Writes the document of the API as a server of this build has it to the named folder, for the judge.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDescribedServer } from '../../support/settings/described-server.js'

const folder = String(process.argv[2])
const data = join(folder, 'data')
mkdirSync(data, { recursive: true, mode: 0o700 })
const server = await openDescribedServer(data)
writeFileSync(join(folder, 'document.json'), server.answer.body)
await server.stop()
