// What the tests need beside Node and npm, from Debian's packages. Nothing is installed that is there already.

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'

interface Tool {
  /** Only `npm run test:all` needs it. */
  isForAll?: true
  package: string
  why: string
  isInstalled(): boolean
}

const needed: readonly Tool[] = [
  { package: 'curl', why: "the banner's commands", isInstalled: () => isCommand('curl') },
  { package: 'openssl', why: 'a second opinion on certificates', isInstalled: () => isCommand('openssl') },
  {
    package: 'chromium-headless-shell',
    why: 'the pages, in a real browser',
    isInstalled: () => isCommand('chromium') || isCommand('chromium-headless-shell'),
  },
  {
    package: 'chromium',
    why: 'the pages, in a browser as people have it',
    isForAll: true,
    isInstalled: () => isCommand('chromium'),
  },
  {
    package: 'redis-server',
    why: 'counters and feed of several instances',
    isInstalled: () => isCommand('redis-server'),
  },
  { package: 'postgresql', why: 'the Store of several instances', isInstalled: isPostgresInstalled },
  { package: 'haproxy', why: 'a balancer before several instances', isInstalled: () => isCommand('haproxy') },
  { package: 'nginx', why: 'a proxy that asks, and a service of somebody else', isInstalled: () => isCommand('nginx') },
  { package: 'caddy', why: 'a proxy that asks', isInstalled: () => isCommand('caddy') },
  { package: 'python3', why: 'programs of the portal, pasted', isInstalled: () => isCommand('python3') },
  {
    package: 'prometheus',
    why: 'queries of dashboards and alerts on a live scrape',
    isForAll: true,
    isInstalled: () => isCommand('promtool'),
  },
  {
    package: 'python3-pip',
    why: 'the schemas of Kubernetes',
    isForAll: true,
    isInstalled: () => isCommand('pip3'),
  },
  ...(['golang-go go', 'default-jdk-headless javac'] as const).map((words): Tool => {
    const [name = '', command = ''] = words.split(' ')
    return {
      package: name,
      why: 'programs of the portal, pasted',
      isForAll: true,
      isInstalled: () => isCommand(command),
    }
  }),
]

/**
 * While it installs, a policy (what dpkg asks before it starts a service; 101 forbids it) keeps Redis, PostgreSQL,
 * HAProxy, nginx and Caddy from being started: the tests start their own, on free ports. One that is there already is
 * left alone.
 */
const install = `
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  printf '#!/bin/sh\\nexit 101\\n' > "$policy" && chmod 755 "$policy"
fi
apt-get update -qq
apt-get install -y -qq --no-install-recommends "$@"`

/**
 * Installs missing programs with apt-get (by sudo when not root). Says what and why; a failure is left to the tests to
 * show.
 */
export function installMissingTools({ isForAll }: { isForAll: boolean }): void {
  const missing = missingTools(isForAll)
  if (missing.length === 0) return
  for (const tool of missing) console.log(`installing ${tool.package} (Debian package), needed for ${tool.why}`)
  const packages = missing.map((tool) => tool.package)
  const command = ['env', 'DEBIAN_FRONTEND=noninteractive', 'sh', '-c', install, 'sh', ...packages]
  const [program = '', ...words] = process.getuid?.() === 0 ? command : ['sudo', ...command]
  const { status } = spawnSync(program, words, { stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) console.log(`installing ${packages.join(' ')} ended with status ${status}`)
}

/** Says which programs are missing, where nothing is to be installed for a few files. */
export function tellMissingTools(): void {
  const names = missingTools(true).map((tool) => tool.package)
  if (names.length === 0) return
  console.log(
    `not installed: ${names.join(', ')}. Files that need one fail; without words, npm run test:all installs them`,
  )
}

function missingTools(isForAll: boolean): Tool[] {
  return needed.filter((tool) => (isForAll || tool.isForAll !== true) && !tool.isInstalled())
}

function isCommand(name: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${name}`], { stdio: 'ignore' }).status === 0
}

/** Debian keeps PostgreSQL's programs off the PATH, by version. */
function isPostgresInstalled(): boolean {
  const root = '/usr/lib/postgresql'
  return existsSync(root) && readdirSync(root).some((version) => existsSync(`${root}/${version}/bin/initdb`))
}
