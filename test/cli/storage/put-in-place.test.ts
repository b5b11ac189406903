// The last steps of a restore: when there is no room nothing has changed, and a process that was killed between two of
// them leaves what the next restore finishes.

import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { putInPlace } from '../../../src/cli/commands/storage/put-in-place.js'

type Given = Parameters<typeof putInPlace>[0]

function folders(t: Test) {
  const folder = t.testdir({
    backup: { 'portcullis.db': 'earlier', 'ledger-checkpoints.jsonl': 'earlier checkpoints' },
    data: {
      'portcullis.db': 'now',
      'checkpoints.jsonl': 'checkpoints of now',
      'checkpoints.jsonl.head': 'head of now',
    },
  })
  const data = join(folder, 'data')
  const file = join(data, 'portcullis.db')
  const given: Given = {
    backup: join(folder, 'backup'),
    manifest: { files: { 'portcullis.db': '', 'ledger-checkpoints.jsonl': '' } } as unknown as Given['manifest'],
    settings: { ledger: { checkpoints: join(data, 'checkpoints.jsonl') }, data: { folder: data } } as never,
    file,
    prepare: async () => {},
  }
  const text = (name: string) => (existsSync(join(data, name)) ? readFileSync(join(data, name), 'utf8') : undefined)
  return { data, file, given, text, names: () => readdirSync(data).sort() }
}

t.test('without room for it nothing has changed, and nothing is left', async (t) => {
  const { file, given, names } = folders(t)
  const before = names()
  const prepare = async (draft: string) => {
    writeFileSync(`${draft}-journal`, 'half')
    throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
  }
  await t.rejects(putInPlace({ ...given, prepare }), { code: 'ENOSPC' })
  t.same(names(), before)
  t.equal(readFileSync(file, 'utf8'), 'now')
  mkdirSync(join(given.settings.data.folder, 'checkpoints.jsonl.restoring'))
  await t.rejects(putInPlace(given), 'checkpoints are written before anything is moved')
  t.equal(readFileSync(file, 'utf8'), 'now')
  t.ok(names().includes('checkpoints.jsonl'))
})

t.test(
  'a log that a killed restore left is not played into the next draft, nor that of before into the new state',
  async (t) => {
    const { file, given, names, text } = folders(t)
    for (const end of ['-wal', '-shm', '-journal']) {
      writeFileSync(`${file}.restoring${end}`, 'of another draft')
      writeFileSync(`${file}${end}`, `${end} of now`)
    }
    let beside: string[] = []
    const prepare = async (draft: string) => {
      beside = names().filter((name) => name.startsWith('portcullis.db.restoring'))
      t.equal(draft, `${file}.restoring`)
    }
    const { aside } = await putInPlace({ ...given, prepare })
    t.same(beside, ['portcullis.db.restoring'])
    t.equal(text('portcullis.db'), 'earlier')
    for (const end of ['-wal', '-shm', '-journal']) {
      t.notOk(existsSync(`${file}${end}`))
      t.ok(
        aside.some((path) => path.startsWith(`${file}${end}.before-restore-`)),
        `${end} may be all there is of some rows`,
      )
    }
    t.notOk(names().some((name) => name.includes('.restoring')))
  },
)

t.test('killed between any two steps, it is finished by the next', async (t) => {
  const moments: readonly [string, (data: string, file: string) => void][] = [
    ['while the draft is prepared', (_, file) => writeFileSync(`${file}.restoring`, 'half')],
    ['while it is compared with an older state', (_, file) => writeFileSync(`${file}.restoring-present`, 'all of now')],
    ['before the exchange', (data) => writeFileSync(join(data, 'checkpoints.jsonl.restoring'), 'half')],
    [
      'when the checkpoints are aside',
      (data, file) => {
        renameSync(join(data, 'checkpoints.jsonl'), join(data, 'checkpoints.jsonl.before-restore-1'))
        writeFileSync(`${file}.restoring`, 'earlier')
      },
    ],
    [
      'when the database of now has its second name',
      (_, file) => {
        linkSync(file, `${file}.before-restore-1`)
        writeFileSync(`${file}.restoring`, 'earlier')
      },
    ],
    [
      'after the exchange, without checkpoints',
      (data, file) => {
        renameSync(join(data, 'checkpoints.jsonl'), join(data, 'checkpoints.jsonl.before-restore-1'))
        renameSync(file, `${file}.before-restore-1`)
        writeFileSync(file, 'earlier')
      },
    ],
  ]
  for (const [when, kill] of moments) {
    await t.test(when, async (t) => {
      const { data, file, given, names, text } = folders(t)
      kill(data, file)
      await putInPlace(given)
      t.equal(text('portcullis.db'), 'earlier')
      t.equal(text('checkpoints.jsonl'), 'earlier checkpoints')
      const kept = names()
        .filter((name) => name.includes('.before-restore-'))
        .map((name) => text(name))
      t.ok(kept.includes('now'), 'the database of now is kept')
      t.ok(kept.includes('checkpoints of now'), 'and its checkpoints')
      t.notOk(names().some((name) => name.includes('.restoring')))
    })
  }
})

t.test('two restores at the same moment keep both', async (t) => {
  const { given, names, text } = folders(t)
  await putInPlace(given)
  await putInPlace({ ...given, prepare: async (draft) => writeFileSync(draft, 'third') })
  t.equal(text('portcullis.db'), 'third')
  const kept = names()
    .filter((name) => name.startsWith('portcullis.db.before-restore-'))
    .map((name) => text(name))
  t.same(kept.sort(), ['earlier', 'now'])
})
