// `npm run changelog -- 0.2.0`: puts the section of a version into CHANGELOG.md, from the commits since the last tag
// `v…`. Run at a release, before the tag is made. `npm run changelog` alone takes the version of package.json.

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { changelogSection, withSection } from './changelog.js'

const [requestedVersion, ...more] = process.argv.slice(2)
const folder = process.cwd()
const file = join(folder, 'CHANGELOG.md')
const head =
  '# Changelog\n\nWhat changed for those who run Portcullis or call it, newest first. The numbers follow Semantic Versioning.\n'

try {
  const version =
    requestedVersion ?? (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version
  if (more.length > 0 || !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
    throw new Error('usage: npm run changelog [-- <version>]')
  if (git('rev-parse', '--is-shallow-repository') === 'true')
    throw new Error('the clone is shallow: git fetch --unshallow --tags')
  const last = git('tag', '--list', 'v*', '--merged', 'HEAD', '--sort=-version:refname').split('\n')[0] ?? ''
  const log = git('log', '--reverse', '--no-merges', '--format=%s%x1f%b%x1e', last === '' ? 'HEAD' : `${last}..HEAD`)
  const commits = log.split('\x1e').flatMap((entry) => {
    const [subject = '', body = ''] = entry.replace(/^\n/, '').split('\x1f')
    return subject === '' ? [] : [{ subject, body }]
  })
  if (commits.length === 0) throw new Error(`no commits since ${last}`)
  const date = new Date().toISOString().slice(0, 10)
  const section = changelogSection({ version, date, commits, isFirst: last === '' })
  writeFileSync(file, withSection(existsSync(file) ? readFileSync(file, 'utf8') : head, section))
  console.log(`CHANGELOG.md: ${version}, from ${commits.length} commits since ${last === '' ? 'the beginning' : last}`)
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}

function git(...words: string[]): string {
  return execFileSync('git', words, { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 28 }).trim()
}
