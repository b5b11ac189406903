// compose.yaml, haproxy.cfg and the Prometheus files fit together: whatever one names, another has; and the gateways
// that compose starts have a configuration that loads in production.

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { developmentMaterial } from '../../src/config/process/development-material.js'
import { quantity } from '../../src/config/process/units.js'
import { loadSettings } from '../../src/config/read/load.js'
import { defaultConfigFile } from '../../src/config/read/package-root.js'
import { readPostgresUrl } from '../../src/storage/sql/postgresql/postgresql-address.js'
import { plainEnvironment } from '../support/settings/plain-environment.js'
import {
  compose,
  deployFile,
  deployFiles,
  deployFolder,
  documentedCommands,
  exampleVariables,
  imageEnvironment,
  prepareDeployment,
  type Service,
} from './deployment.js'

const { milliseconds } = quantity
const file = compose(exampleVariables())
const services = Object.entries(file.services)

function networksOf({ networks }: Service): string[] {
  return Array.isArray(networks) ? networks : Object.keys(networks)
}

function volumesOf({ volumes = [] }: Service): string[] {
  return volumes.map((volume) => (typeof volume === 'string' ? (volume.split(':')[0] ?? '') : volume.source))
}

t.test('every network, volume, secret, service and variable that compose.yaml names exists, and is used', async (t) => {
  const used = (of: (service: Service) => string[]) =>
    [...new Set(services.flatMap(([, service]) => of(service)))].sort()
  t.same(used(networksOf), Object.keys(file.networks).sort())
  t.same(
    used(({ secrets = [] }) => secrets),
    Object.keys(file.secrets).sort(),
  )
  const volumes = used(volumesOf)
  t.same(
    volumes.filter((name) => !name.startsWith('.')),
    Object.keys(file.volumes).sort(),
  )
  const made = ['./portcullis.yaml']
  for (const path of volumes.filter((name) => name.startsWith('.') && !made.includes(name))) {
    t.ok(existsSync(join(deployFolder, path)), `${path} exists`)
  }
  for (const [name, { depends_on = {} }] of services) {
    for (const [other, { condition }] of Object.entries(depends_on)) {
      t.ok(file.services[other], `${name} waits for ${other}`)
      t.ok(condition === 'service_started' || file.services[other]?.healthcheck, `${other} can be ${condition}`)
    }
  }
  const variables = [...deployFile('compose.yaml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name)
  t.same([...new Set(variables)].sort(), Object.keys(exampleVariables()).sort(), '.env.example has them all')
})

t.test(
  'only HAProxy is published; storage is reached by the gateways alone; nobody has more rights than it needs',
  async (t) => {
    for (const [name, service] of services) {
      t.same(service.ports ?? [], name === 'haproxy' ? ['8443:8443'] : [], `${name}: published`)
      t.ok(service.healthcheck, `${name} has a health check`)
      t.ok((service['security_opt'] as string[]).includes('no-new-privileges:true'), `${name}: no new privileges`)
      t.match(service.image, /^portcullis:local$|:v?\d+\.\d+(\.\d+)?(-[a-z0-9]+)?$/, `${name}: a version`)
      t.notOk(
        JSON.stringify(service.environment ?? {}).match(/:\/\/[^"]*:[^"]*@/),
        `${name}: no password in a variable`,
      )
      if (name === 'postgres') continue
      t.match(String(service['user']), /^[1-9]\d*:[1-9]\d*$/, `${name} runs as a number that is not root`)
      t.same([service['read_only'], service['cap_drop']], [true, ['ALL']], `${name}: read only, no capability`)
    }
    for (const [name, network] of Object.entries(file.networks))
      t.equal(network?.internal ?? false, name !== 'edge', name)
    const members = (network: string) =>
      services.filter(([, s]) => networksOf(s).includes(network)).map(([name]) => name)
    t.same(members('storage').sort(), ['gateway-1', 'gateway-2', 'postgres', 'redis'])
    t.same(members('gate').sort(), ['gateway-1', 'gateway-2', 'haproxy'], 'who says there who calls is believed')
    t.same(members('edge'), ['haproxy'])
  },
)

t.test('HAProxy and Prometheus reach what they name', async (t) => {
  const targets = [...deployFile('haproxy.cfg').matchAll(/^ {2}server (\S+) (\S+?):(\d+) port (\d+)$/gm)]
  t.equal(targets.length, 4, 'two servers in two backends')
  for (const [, name = '', host = ''] of targets) {
    const networks = file.services[name]?.networks as Record<string, { aliases?: string[] }>
    t.same(networks['gate']?.aliases, [host], `${host} is ${name} on the trusted network, and on no other`)
  }
  const prometheus = parse(deployFile('prometheus/prometheus.yml')) as {
    scrape_configs: { dns_sd_configs?: { names: string[] }[]; static_configs?: { targets: string[] }[] }[]
  }
  const scraped = prometheus.scrape_configs.flatMap(({ dns_sd_configs = [], static_configs = [] }) => [
    ...dns_sd_configs.flatMap(({ names }) => names),
    ...static_configs.flatMap(({ targets }) => targets.map((target) => target.split(':')[0] ?? '')),
  ])
  t.same(scraped.sort(), ['gateway-1', 'gateway-2', 'haproxy'])
  for (const name of scraped)
    t.ok(networksOf(file.services[name] as Service).includes('watch'), `${name} can be scraped`)
})

t.test('every PORTCULLIS_ variable in deploy/ is one that the configuration reads', async (t) => {
  const configuration = readFileSync(defaultConfigFile(), 'utf8')
  const names = new Set(deployFiles().flatMap((name) => deployFile(name).match(/\bPORTCULLIS_[A-Z0-9_]+\b/g) ?? []))
  t.ok(names.size > 8)
  for (const name of names) t.ok(configuration.includes(`\${${name}:-`), name)
})

t.test('the gateways of compose.yaml load in production, without a warning, and fit what is around them', async (t) => {
  const there = prepareDeployment(t.testdir())
  const gateways = services.filter(([name]) => name.startsWith('gateway'))
  t.equal(gateways.length, 2)
  for (const [name, service] of gateways) {
    const inside = (text: string) => text.replace('file:/run/secrets/', `file:${there}/secrets/`)
    const given = Object.entries({ ...imageEnvironment(), ...service.environment })
    const env = Object.fromEntries(given.map(([key, value]) => [key, inside(value)]))
    const settings = loadSettings({ file: join(there, 'portcullis.yaml'), env })
    t.same([developmentMaterial(settings), settings.warnings], [[], []], name)
    const { store } = settings
    if (store.kind !== 'postgresql') throw new Error('the Store is not PostgreSQL')
    const { servers, tls } = readPostgresUrl(store.url.reveal(), store.ca)
    t.same([servers[0].host, tls], ['postgres', undefined], 'the image of PostgreSQL has no certificate')
    t.match(settings.redis?.url.reveal(), /^redis:\/\/portcullis:[0-9a-f]{64}@redis:6379$/)
    t.same(settings.server.trustedProxies, [exampleVariables()['GATE_SUBNET']])
    t.ok(
      service.secrets?.every((secret) => existsSync(join(there, String(file.secrets[secret]?.file)))),
      'secrets are made',
    )
    const { drainReadyMs, drainMs, keepAliveMs } = settings.server
    t.ok(milliseconds(String(service['stop_grace_period'])) >= drainReadyMs + drainMs + 5_000, 'time to stop')
    const haproxy = (words: string) =>
      milliseconds(new RegExp(` ${words} (\\w+)`).exec(deployFile('haproxy.cfg'))?.[1] ?? '')
    t.ok(haproxy('inter') + haproxy('fastinter') + haproxy('timeout check') < drainReadyMs, 'HAProxy sees it in time')
    t.ok(haproxy('timeout http-keep-alive') < keepAliveMs, 'HAProxy closes first')
    for (const { headersMs, idleMs } of settings.upstreams.values()) {
      t.ok(haproxy('timeout server') > Math.max(headersMs, idleMs), 'the gateway gives up first')
    }
  }
})

t.test('the documented commands for a master key make keys', async (t) => {
  const script = documentedCommands('openssl rand 32').replace('node -e', `'${process.execPath}' -e`)
  const { stdout } = spawnSync('sh', ['-eu', '-c', script], { encoding: 'utf8', env: plainEnvironment() })
  const keys = stdout.trimEnd().split('\n')
  t.equal(keys.length, 2)
  for (const key of keys) t.equal(Buffer.from(key, 'base64url').toString('base64url'), key)
  t.same(
    keys.map((key) => Buffer.from(key, 'base64url').length),
    [32, 32],
  )
})
