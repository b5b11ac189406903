// `portcullis audit` against the program itself: what it shows, what it finds after somebody was at the file, and how
// it ends.
// run: apart

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { createLocalClient } from '../../src/cli/calls/local-client.js'
import { openSqliteStore } from '../../src/storage/sql/sqlite/sqlite.js'
import { isLedgerAhead } from '../../src/storage/sql/webhooks/event-cursor.js'
import { startProgram } from '../support/programs/program.js'
import { runCommand } from '../support/rooms/cli.js'
import { until } from '../support/traffic/until.js'

t.setTimeout(120_000)

t.test('X6 audit lists, exports and verifies; a tampered ledger ends verify with 1 and says where', async (t) => {
  // A socket's path has room for 103 bytes: tap's own folders are named after the whole test.
  const cwd = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  const program = await startProgram({ cwd })
  t.teardown(() => program.stop())
  const run = (line: string) => runCommand(line.split(' '), { cwd: program.cwd, env: program.env })
  const well = async (line: string) => {
    const result = await run(line)
    t.equal(result.code, 0, `${line}\n${result.err}`)
    return result.out
  }

  await well('app create tester --permission User.Read.All --consent')
  await well('tenant create Fabrikam')
  const table = await well('audit list')
  t.match(table, /^POSITION +TIME +EVENT +WHO +APPLICATION +USER +TENANT/)
  t.match(table, /^\d+ +\S+ +application\.registered +operator /m)
  t.match(table, /^\d+ +\S+ +tenant\.created +system /m, 'the first start')
  const { value } = JSON.parse(await well('audit list --app tester -n 2 -o json'))
  t.same(
    value.map(({ event }: { event: string }) => event),
    ['admin-consent.granted', 'secret.created'],
  )
  t.equal(JSON.parse(await well('audit list --tenant Fabrikam -o json')).value.length, 1)
  t.equal(JSON.parse(await well('audit list --event key.added --from 2020-01-01 -o json')).value.length > 0, true)
  t.match(await run('audit activity'), { code: 0, out: '', err: /^Nothing failed/ })
  await well('user create ada@contoso.test --name Ada')
  const events = (await well('audit list --user ada@contoso.test -o json')).match(/"event": ?"user\.created"/g)
  t.equal(events?.length, 1, 'a person, by their address')
  const howMany = async (line: string) => JSON.parse(await well(`${line} -o json`)).value.length
  t.equal(await howMany('audit list --person contoso.test --event user.created'), 1, 'people by a part of the address')
  const ofTester = await howMany('audit list --app tester')
  t.equal(await howMany('audit list --app-name test --from 1h'), ofTester, 'applications by a part of the name')
  t.equal(await howMany('audit list --search Fabrikam'), 1, 'a text that stands in a row')
  t.equal(await howMany('audit list --to 1h'), 0, 'nothing is older than an hour')
  t.match(await well('user sign-ins ada@contoso.test -o json'), /"value": \[\]/)
  t.match(await run('user end-session ada@contoso.test 0123abcd'), { code: 3, err: /no session 0123abcd/ })
  t.equal((await run('audit list --user nobody@contoso.test')).code, 3)
  t.equal((await run('audit list --from yesterday')).code, 2)
  t.equal((await run('audit list --app nobody')).code, 3)
  t.equal((await run('audit list -n 0')).code, 2)

  const lines = (await well('audit export')).trimEnd().split('\n')
  const checkpoint = JSON.parse(lines.pop() ?? '') as { count: number; head: string }
  const exported = lines.map((line) => JSON.parse(line) as { position: number; mac: string })
  t.match(checkpoint, { count: exported.length, head: exported.at(-1)?.mac }, 'and then the checkpoint of the last')
  t.same(
    exported.map(({ position }) => position),
    exported.map((_, index) => index + 1),
    'oldest first, without a gap',
  )
  t.ok(exported.every(({ mac }) => /^[0-9a-f]{64}$/.test(mac)))
  const clean = await well('audit verify')
  t.match(clean, /^ledger +clean$/m)
  t.match(clean, new RegExp(`^rows +${exported.length}$`, 'm'))
  t.match(JSON.parse(await well('audit verify -o json')), { clean: true, head: exported.at(-1)?.mac, problems: [] })

  const progress = join(cwd, 'progress.json')
  const inParts = await run(`audit verify --part 2 --resume ${progress}`)
  t.equal(inParts.code, 0, inParts.err)
  t.equal(inParts.err.match(/^[\d,]+ of [\d,]+ rows verified$/gm)?.length, Math.ceil(exported.length / 2) - 1)
  t.equal(existsSync(progress), false, 'nothing is left to go on with')

  // A clean end writes a checkpoint; a copy of it is what the operator keeps.
  await program.stop()
  const copy = join(cwd, 'copy.jsonl')
  const data = join(program.cwd, 'data')
  const checkpoints = readFileSync(join(data, 'ledger-checkpoints.jsonl'), 'utf8')
  writeFileSync(copy, checkpoints)
  t.match(checkpoints, new RegExp(`"count":${exported.length},"head":"${exported.at(-1)?.mac}"`))
  const store = await openSqliteStore({ file: join(data, 'portcullis.db'), busyTimeoutMs: 5_000 })
  const [cut, last] = [exported.length, exported.at(-2)]
  await store.transaction(async (tx) => {
    await tx.deleteFrom('ledger').where('position', '=', cut).execute()
    await tx
      .updateTable('ledger_head')
      .set({ position: cut - 1, mac: last?.mac ?? '' })
      .execute()
  })
  await store.close()

  const headFile = join(data, 'ledger-checkpoints.jsonl.head')
  const savedHead = readFileSync(headFile)
  const again = await startProgram({ cwd: program.cwd })
  t.teardown(() => again.stop())
  const verify = (line: string) => runCommand(line.split(' '), { cwd: again.cwd, env: again.env })
  const found = await verify('audit verify')
  t.equal(found.code, 1)
  t.match(found.out, /^ledger +TAMPERED WITH$/m)
  t.match(found.out, new RegExp(`^problem +row ${cut}: cut off the end \\(line 1 of the checkpoints\\)$`, 'm'))
  t.match(found.err, /has been tampered with/)
  writeFileSync(join(data, 'ledger-checkpoints.jsonl'), '')
  // The program may have looked meanwhile, and kept in the other file what stood here.
  writeFileSync(headFile, savedHead)
  t.equal((await verify('audit verify')).code, 1, 'the head that was seen last is kept beside it')
  // The program may look between the two writes, and keep in one file what stood in the other: then both are written again.
  const hidden = async () => {
    for (const file of [join(data, 'ledger-checkpoints.jsonl'), headFile]) writeFileSync(file, '')
    return (await verify('audit verify')).code === 0
  }
  await until('a person who can write all three files hides it from them', hidden)
  const kept = await verify(`audit verify --checkpoints ${copy} -o json`)
  t.equal(kept.code, 1, 'and not from the copy')
  t.match(JSON.parse(kept.out), { clean: false, problems: [{ kind: 'cut-off', position: cut, line: 1 }] })
  // What an interrupted run found is said by the one that goes on, and rows that it verified are not read again.
  const changed = { kind: 'changed', position: 1 }
  const parts = createLocalClient(join(again.folder, 'admin.sock'))
  const part = (await parts.call('POST', '/auditEvents/verification', { most: 3 })) as { next: string }
  writeFileSync(progress, JSON.stringify({ next: part.next, problems: [changed] }))
  const resumed = await verify(`audit verify --resume ${progress} -o json`)
  t.equal(resumed.code, 1)
  t.match(JSON.parse(resumed.out), { clean: false, reached: cut - 1, problems: [changed] })
  t.equal(existsSync(progress), false)
  const unusable: [string, string, RegExp][] = [
    ['no json', `--resume ${progress}`, /cannot be used: it is no file of audit verify --resume/],
    ['{"next":"e30.00","problems":[]}', `--resume ${progress}`, /No verification of this ledger ended there/],
    ['{}', `--resume ${progress} --checkpoints ${copy}`, /--resume is for the server's ledger/],
    ['{}', `--resume ${join(progress, 'below')}`, /cannot be used: ENOTDIR/],
    ['{}', '--part 0', /whole number/],
  ]
  for (const [content, words, err] of unusable) {
    writeFileSync(progress, content)
    t.match(await verify(`audit verify ${words}`), { code: 2, out: '', err }, words)
    t.equal(readFileSync(progress, 'utf8'), content, 'the file stays as it is')
  }
  writeFileSync(progress, JSON.stringify({ next: 'e30.00', problems: [changed] }))
  const broken = await verify(`audit verify --resume ${progress}`)
  t.match(broken, { code: 1, err: /tampered with; its rest was not verified/ }, 'what was found is not lost')
  t.match(broken.err, /problem: .*\b1\b/)
  t.match(await verify('audit verify --checkpoints nowhere.jsonl'), { code: 2, err: /cannot be read \(ENOENT\)/ })
  writeFileSync(copy, '\n')
  t.equal((await verify(`audit verify --checkpoints ${copy}`)).code, 2, 'an empty file proves nothing')
})

t.test(
  'identity L7: the oldest events leave when an export has them, and the export is verified by itself',
  async (t) => {
    const cwd = mkdtempSync(join(tmpdir(), 'pc-'))
    t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
    const program = await startProgram({ cwd })
    t.teardown(() => program.stop())
    const run = (line: string) => runCommand(line.split(' '), { cwd: program.cwd, env: program.env })
    const archive = join(cwd, 'ledger.jsonl')
    const store = await openSqliteStore({ file: join(program.cwd, 'data', 'portcullis.db'), busyTimeoutMs: 30_000 })
    t.teardown(() => store.close())
    // Rows of which no events were made stay.
    const followed = () => until('events are made', async () => !(await isLedgerAhead(store.reader)))
    const exported = (await run('audit export')).out
    writeFileSync(archive, exported)
    const rows = exported.trimEnd().split('\n').length - 1
    await run('tenant create Fabrikam')
    await followed()
    const refusals: [string, { code: number; err: RegExp }][] = [
      ['audit prune', { code: 2, err: /--before or --keep, one of them/ }],
      ['audit prune --keep 30d --before 2020-01-01 --no-export', { code: 2, err: /one of them/ }],
      ['audit prune --keep 0s', { code: 2, err: /--export, or say --no-export/ }],
      ['audit prune --before yesterday --no-export', { code: 2, err: /A time is such as/ }],
      ['audit prune --keep 0s --export nowhere.jsonl', { code: 2, err: /cannot be read \(ENOENT\)/ }],
      [`audit prune --keep 0s --export ${archive} --yes`, { code: 1, err: /does not have all of the events 1 to / }],
      ['audit prune --keep 0s --no-export', { code: 2, err: /say --yes/ }],
      [`audit verify ${archive} --checkpoints ${archive}`, { code: 2, err: /leave out --checkpoints/ }],
      ['audit verify nowhere.jsonl', { code: 2, err: /cannot be read \(ENOENT\)/ }],
    ]
    for (const [line, refusal] of refusals) t.match(await run(line), refusal, line)
    t.match(await run('audit prune --keep 400d --no-export --yes'), { code: 0, err: /Nothing in the ledger is older/ })
    t.match(await run(`audit verify ${archive}`), { code: 0, out: new RegExp(`^rows +1 to ${rows}$`, 'm') })
    writeFileSync(archive, (await run('audit export')).out)
    const pruned = await run(`audit prune --keep 0s --export ${archive} --yes`)
    t.match(pruned, { code: 0, err: /^Removed \d+ events, 1 to \d+\. The ledger says so\.$/m }, pruned.err)
    const removed = Number(/1 to (\d+)/.exec(pruned.err)?.[1])
    t.ok(removed >= rows, `${removed}`)
    const clean = await run('audit verify')
    t.match(clean, { code: 0, out: new RegExp(`^removed +1 to ${removed}, by order$`, 'm') }, clean.out)
    t.match((await run('audit list -n 1')).out, /ledger\.pruned +operator/)
    await program.stop()
    t.match(await run(`audit verify ${archive} -o json`), { code: 0, out: /"clean": true/ }, 'without a server')
    writeFileSync(archive, readFileSync(archive, 'utf8').replace('Contoso', 'Cantoso'))
    const changed = await run(`audit verify ${archive}`)
    t.match(changed, { code: 1, out: /^archive +TAMPERED WITH$/m, err: /is not what was written/ })
    t.match(changed.out, /^problem +row \d+: changed$/m)
    t.match(await run(`audit verify ${archive} --config nowhere.yaml`), { code: 2 })
  },
)
