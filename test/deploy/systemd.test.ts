// What deploy/ ships agrees with the configuration: its variables exist, and an instance with them may start.

import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { developmentMaterial } from '../../src/config/process/development-material.js'
import { loadSettings } from '../../src/config/read/load.js'
import { defaultConfigFile, packageRoot } from '../../src/config/read/package-root.js'
import { deployFile } from './deployment.js'

const unit = readFileSync(join(String(packageRoot()), 'deploy/systemd/portcullis.service'), 'utf8')
const credentials = '/run/credentials/portcullis.service'

function values(key: string): string[] {
  return [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value]) => value as string)
}

t.test('the systemd unit starts in production as its comment says, and has time to drain', async (t) => {
  const configuration = readFileSync(defaultConfigFile(), 'utf8')
  const environment = Object.fromEntries(values('Environment').map((line) => line.split(/=(.*)/s, 2)))
  for (const name of Object.keys(environment).filter((name) => name.startsWith('PORTCULLIS_'))) {
    t.ok(configuration.includes(`\${${name}:-`), `the configuration reads ${name}`)
  }
  const [, tls = ''] = /^# +(tls: \{ .* \})$/m.exec(unit) ?? []
  const folder = t.testdir({
    'master-key': `${randomBytes(32).toString('base64url')}\n`,
    'tls.crt': '',
    'tls.key': '',
  })
  const here = (text = '') => text.replaceAll(credentials, folder)
  const file = join(folder, 'portcullis.yaml')
  writeFileSync(file, configuration.replace(/^ {2}tls: .*$/m, `  ${here(tls)}`))
  const credential = values('LoadCredential').map((line) => line.split(':')[0])
  const named = [...new Set(unit.match(new RegExp(`${credentials}/[\\w.-]+`, 'g')))].map((path) =>
    path.split('/').pop(),
  )
  t.same(named.sort(), credential.sort(), 'every credential is loaded, and used')
  const environmentHere = { ...environment, PORTCULLIS_MASTER_KEYS: here(environment['PORTCULLIS_MASTER_KEYS']) }
  const settings = loadSettings({ file, env: environmentHere })
  t.same(developmentMaterial(settings), [])
  t.same(settings.server.tls, { kind: 'files', cert: join(folder, 'tls.crt'), key: join(folder, 'tls.key') })
  t.equal(settings.data.folder, `/var/lib/${values('StateDirectory')[0]}`)
  const { drainReadyMs, drainMs } = settings.server
  t.ok(Number(values('TimeoutStopSec')[0]) * 1000 > drainReadyMs + drainMs + 5_000)
})

t.test('the drop-in for several instances gives what it names, and time to drain before a balancer', async (t) => {
  const dropIn = deployFile('systemd/portcullis.service.d/several.conf')
  const loaded = [...dropIn.matchAll(/^LoadCredential=([\w.-]+):\/etc\/portcullis\/\1$/gm)].map(([, name]) => name)
  const used = [...dropIn.matchAll(/=file:\/run\/credentials\/portcullis\.service\/([\w.-]+)$/gm)].map(
    ([, name]) => name,
  )
  t.same(used.sort(), loaded.sort())
  t.ok(Number(/^TimeoutStopSec=(\d+)$/m.exec(dropIn)?.[1]) > Number(values('TimeoutStopSec')[0]))
})

const verifier = spawnSync('systemd-analyze', ['--version']).status === 0

t.test('systemd understands both', { skip: verifier ? false : 'systemd-analyze is not installed here' }, async (t) => {
  const folder = t.testdir({
    'portcullis.service': unit.replace('/usr/bin/node', process.execPath),
    'portcullis.service.d': { 'several.conf': deployFile('systemd/portcullis.service.d/several.conf') },
  })
  const words = ['verify', '--man=no', join(folder, 'portcullis.service')]
  const { status, stderr } = spawnSync('systemd-analyze', words, { encoding: 'utf8' })
  t.same([status, stderr.replace(/^.*(?:\/run\/systemd|dbus).*\n/gm, '')], [0, ''])
})
