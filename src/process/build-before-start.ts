// What `npm start` does first: builds, unless nothing has changed since the last time. A program for a checkout; it runs
// from the sources, before there is anything built.

import { spawnSync } from 'node:child_process'
import { buildWhenChanged } from './build-stamp.js'

const root = process.cwd()
try {
  buildWhenChanged(root, build)
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}

function build(): void {
  console.error('Building Portcullis, which takes some seconds. The next start does so only after a change.')
  const { status, signal, error } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`Nothing was started: npm run build ended with ${status ?? signal}.`)
}
