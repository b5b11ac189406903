// What the tests need beside Node and npm, from Debian's packages. Nothing is installed that is there already.

import { spawnSync } from 'node:child_process'

const needed: readonly { command: string; package: string; why: string }[] = [
  { command: 'curl', package: 'curl', why: "the banner's commands" },
  { command: 'openssl', package: 'openssl', why: 'a second opinion on certificates' },
  { command: 'chromium', package: 'chromium', why: 'the pages, in a real browser' },
]

/** Installs missing programs with apt-get (by sudo when not root). Says what and why; a failure is left to the tests to show. */
export function installMissingTools(): void {
  const missing = needed.filter(({ command }) => !isInstalled(command))
  if (missing.length === 0) return
  for (const tool of missing) console.log(`installing ${tool.package} (Debian package), needed for ${tool.why}`)
  run('apt-get', ['update', '-qq'])
  run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...missing.map((tool) => tool.package)])
}

function isInstalled(command: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${command}`], { stdio: 'ignore' }).status === 0
}

function run(command: string, options: readonly string[]): void {
  const asRoot = process.getuid?.() === 0
  const [program, words] = asRoot ? [command, options] : ['sudo', [command, ...options]]
  const { status } = spawnSync(program, words, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
  if (status !== 0) console.log(`${program} ${words.join(' ')} ended with status ${status}`)
}
