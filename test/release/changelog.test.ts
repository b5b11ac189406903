// CHANGELOG.md from commits: what a release tells, on small repositories of the test's own.

import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { packageRoot } from '../../src/config/read/package-root.js'
import { changelogSection, withSection } from './changelog.js'

const author = ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false']
const today = /\(\d{4}-\d{2}-\d{2}\)/

/** A repository in a folder of the test's own, and what `npm run changelog` says and writes there. */
function openRepository(t: Test) {
  const folder = t.testdir({ 'package.json': '{ "version": "0.1.0" }' })
  const git = (...words: string[]) => execFileSync('git', [...author, ...words], { cwd: folder, stdio: 'pipe' })
  git('init', '-q')
  const fromSource = import.meta.url.endsWith('.ts')
  const script = fileURLToPath(new URL(fromSource ? 'main.ts' : 'main.js', import.meta.url))
  const loader = fromSource ? ['--import', import.meta.resolve('tsx')] : []
  return {
    folder,
    commit: (...messages: string[]) =>
      messages.forEach((message) => void git('commit', '-q', '--allow-empty', '-m', message)),
    tag: (name: string) => git('tag', name),
    run: (...words: string[]) =>
      spawnSync(process.execPath, [...loader, script, ...words], { cwd: folder, encoding: 'utf8' }),
    read: () => readFileSync(join(folder, 'CHANGELOG.md'), 'utf8'),
  }
}

t.test('the first version tells what there is, by room; the next what came since, newest first', async (t) => {
  const repository = openRepository(t)
  repository.commit('feat(gateway): forward', 'feat(cli): ask', 'fix(gateway): forward rightly', 'feat(gateway): retry')
  t.match(repository.run(), { status: 0, stdout: /0\.1\.0, from 4 commits since the beginning/ })
  t.match(repository.read(), /^# Changelog\n/)
  t.match(repository.read(), today)
  t.match(repository.read(), /### Added\n\n- \*\*cli\*\*: ask\n- \*\*gateway\*\*: forward; retry\n/)
  t.notMatch(repository.read(), /Fixed/, 'nobody had it before')
  repository.tag('v0.1.0')
  repository.commit('fix(http): end', 'docs: words', 'perf(tokens): sign at once', 'feat: a thing')
  repository.commit('refactor(config)!: other names\n\nBREAKING CHANGE: `a` is\n`b` now.\n\nReviewed-by: B')
  t.match(repository.run('0.2.0'), { status: 0 })
  const [, second = '', first = ''] = repository.read().split(/^## /m)
  t.match(second, /^0\.2\.0 /)
  t.match(second, '### Breaking\n\n- **config**: `a` is `b` now.\n\n### Added\n\n- **other**: a thing\n')
  t.match(second, '### Fixed\n\n- **http**: end\n\n### Faster\n\n- **tokens**: sign at once\n')
  t.notMatch(second, /words|forward/, 'neither what nobody notices nor what was listed')
  t.match(first, /^0\.1\.0 /)
})

t.test('what cannot be listed is refused, and the file stays', async (t) => {
  const repository = openRepository(t)
  repository.commit('feat(gateway): forward')
  t.match(repository.run('next'), { status: 1, stderr: /usage: npm run changelog/ })
  t.match(repository.run('0.1.0', 'more'), { status: 1, stderr: /usage/ })
  t.match(repository.run('0.1.0'), { status: 0 })
  const before = repository.read()
  t.match(repository.run('0.1.0'), { status: 1, stderr: 'CHANGELOG.md has 0.1.0 already' })
  repository.tag('v0.1.0')
  t.match(repository.run('0.2.0'), { status: 1, stderr: 'no commits since v0.1.0' })
  t.equal(repository.read(), before)
})

t.test('a section without anything to notice says so, and long lines are wrapped', async (t) => {
  const version = { version: '1.0.0', date: '2026-11-22', isFirst: false }
  t.match(changelogSection({ ...version, commits: [{ subject: 'docs: a', body: '' }] }), 'Nothing that users notice.')
  t.match(
    changelogSection({ ...version, commits: [{ subject: 'no form at all', body: '' }] }),
    'Nothing that users notice.',
  )
  const commits = Array.from({ length: 20 }, (_, at) => ({
    subject: `fix(http): the mistake with number ${at}`,
    body: '',
  }))
  const section = changelogSection({ ...version, commits })
  for (const line of section.split('\n')) t.ok(line.length <= 120, line)
  t.match(section.replace(/\s+/g, ' '), 'number 18; the mistake with number 19')
  t.throws(() => withSection('## 1.0.0 (2026-11-21)\n', section), /has 1\.0\.0 already/)
})

t.test('CHANGELOG.md of this repository has the version of package.json', async (t) => {
  const root = String(packageRoot())
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  t.match(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), `## ${version} (`)
})
