// Two servers that start on one data folder at the same moment, as a supervisor that restarts too eagerly makes them.
// run: apart

import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { loadSettings } from '../../../src/config/read/load.js'
import { defaultConfigFile } from '../../../src/config/read/package-root.js'
import { isLocalSocketAlive } from '../../../src/http/connections/local-socket.js'
import { createApp } from '../../../src/instance/app.js'

/** A socket file that a killed process left. */
function leaveSocket(file: string): void {
  const work = `require('net').createServer().listen(${JSON.stringify(file)}, () => process.kill(process.pid, 'SIGKILL'))`
  spawnSync(process.execPath, ['-e', work])
}

t.test('of two starts at once on the sockets of a killed server one serves and the other refuses', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pcl-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const env = {
    PORTCULLIS_DATA: folder,
    PORTCULLIS_LISTEN: '127.0.0.1:0',
    PORTCULLIS_OPERATOR: '127.0.0.1:0',
    PORTCULLIS_LOG_LEVEL: 'silent',
  }
  const loaded = loadSettings({ file: String(defaultConfigFile()), env })
  const settings = { ...loaded, server: { ...loaded.server, drainMs: 500 } }
  const masterKeys = [randomBytes(32)]
  const apps = [
    await createApp({ settings, masterKeys, version: '0' }),
    await createApp({ settings, masterKeys, version: '0' }),
  ]
  t.teardown(() => Promise.all(apps.map((app) => app.stop())))
  for (const name of ['admin.sock', 'backend.sock']) leaveSocket(join(folder, name))
  const outcomes = await Promise.allSettled(apps.map((app) => app.start()))
  t.same(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  t.match(
    outcomes.find(({ status }) => status === 'rejected'),
    { reason: { code: 'local_socket_in_use' } },
  )
  for (const name of ['admin.sock', 'backend.sock']) t.equal(await isLocalSocketAlive(join(folder, name)), true, name)
})
