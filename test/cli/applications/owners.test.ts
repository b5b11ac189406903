// Owners and new redirect origins at the command line, and owners in manifests (decision 84), against the program
// itself.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startWithPeople } from '../../support/programs/people-program.js'
import { runCommand } from '../../support/rooms/cli.js'

t.test('identity H3: owners by command and by file', { timeout: 240_000 }, async (t) => {
  const { program, person, manage } = await startWithPeople(t)
  const { cwd, env } = program
  const run = (line: string) => runCommand(line.split(' '), { cwd, env })
  const well = async (line: string) => {
    const { code, out, err } = await run(line)
    t.equal(code, 0, `${line}\n${err}`)
    return out
  }
  const json = async (line: string) => JSON.parse(await well(`${line} -o json`))
  const write = (text: string) => writeFileSync(join(cwd, 'diary.yaml'), text)
  await well('user create dora@contoso.test --name Dora --tenant Contoso --role developer')
  await well('user create max@contoso.test --name Max --tenant Contoso --role member')
  const { applicationId: other } = await json('app create other')

  await t.test('a file says who owns an application, and applied again it changes nothing', async (t) => {
    write('name: diary\ntype: web\nowners: [dora@contoso.test]\ndeviceCodes: off\n')
    const tried = await run('app apply -f diary.yaml --dry-run')
    t.match(tried.out, /^created {4}diary\n(?: {2}.*\n)* {2}\+ owners dora@contoso\.test\n/)
    t.match((await json('app apply -f diary.yaml')).value ?? [], [])
    const made = await json('app show diary')
    t.match(made, { deviceCodes: 'off', owners: [String] })
    t.match((await json('app owner list diary')).value, [{ ownerId: made.owners[0], kind: 'user', name: 'Dora' }])
    const before = await well('audit list -o json')
    t.match(await run('app apply -f diary.yaml'), { code: 0, out: /^unchanged {2}diary/ })
    t.equal(await well('audit list -o json'), before, 'nothing was written')
    write(`name: diary\ntype: web\nowners: [${person.email}, ${other}, ${person.email}]\n`)
    const changed = await well('app apply -f diary.yaml')
    t.match(changed, new RegExp(`^changed .*\\n {2}- owners ${made.owners[0]}\\n {2}\\+ owners ${person.email}\\n`))
    t.match(changed, new RegExp(`\\n {2}\\+ owners ${other}\\n`))
    t.equal((await json('app show diary')).owners.length, 2)
    t.equal(
      (await json('app show diary')).deviceCodes,
      'off',
      'what somebody switched off stays so when nothing is said',
    )
    write('name: diary\ntype: web\n')
    t.match(await run('app apply -f diary.yaml'), { out: /^unchanged {2}diary/ }, 'left out they are left alone')
    write('name: diary\ntype: web\nowners: []\ndeviceCodes: allowed\n')
    await well('app apply -f diary.yaml')
    t.match(await json('app show diary'), { owners: [], deviceCodes: 'allowed' })
  })

  await t.test('a person who cannot own it is refused by name before anything is done', async (t) => {
    for (const owner of ['max@contoso.test', 'nobody@contoso.test', 'dora', '11111111-1111-4111-8111-111111111111']) {
      write(`name: first\ntype: web\n---\nname: second\ntype: web\nowners: [dora@contoso.test, ${owner}]\n`)
      const refused = await run('app apply -f diary.yaml')
      t.match(refused, { code: 2, err: `second: owners: ${owner} is neither` }, owner)
      t.equal((await run('app show first')).code, 3, 'nothing is done before everything is known to be right')
    }
    for (const text of ['owners: dora@contoso.test', "owners: ['']", 'owners: [1]', 'deviceCodes: maybe']) {
      write(`name: first\ntype: web\n${text}\n`)
      t.match(await run('app apply -f diary.yaml'), { code: 2, err: /the manifest is wrong:\n.*diary\.yaml:3:/ }, text)
    }
  })

  await t.test('owners are added, listed and removed', async (t) => {
    t.match(await run('app owner add diary dora@contoso.test'), { code: 0, err: /Dora is an owner now/ })
    await well(`app owner add diary ${other} --application`)
    t.match(await well('app owner list diary'), /KIND.*\n.*Dora.*user.*\n.*other.*application/)
    t.match(await well('app show diary'), /\nowner {2,}\S+\nowner {2,}\S+\n/)
    t.match(await run('app owner add diary max@contoso.test'), { code: 2, err: /developers of the tenant/ })
    t.match(await run('app owner add diary somebody'), { code: 2, err: /by e-mail address or id/ })
    const { owners } = await json('app show diary')
    await well(`app owner remove diary ${owners[0]}`)
    t.match(await run(`app owner remove diary ${owners[0]}`), { code: 3, err: /no such owner/ })
    t.equal((await json('app show diary')).owners.length, 1)
  })

  await t.test('new redirect origins are listed, and dismissed', async (t) => {
    t.same((await json('app new-origin list')).value, [])
    t.match(await run('app new-origin dismiss diary'), { code: 0, err: /nothing new/ })
    const { applicationId } = await manage.showApplication('diary')
    await well('app set diary --redirect-uri https://diary.example/back --yes')
    t.match((await json('app new-origin list')).value, [
      { applicationId, origin: 'https://diary.example', addedBy: '' },
    ])
    t.match(await well('app new-origin list --tenant Contoso'), /APPLICATION.*\ndiary +https:\/\/diary\.example/)
    t.match(await run('app new-origin list --tenant Nowhere'), { code: 3, err: /no tenant "Nowhere"/ })
    t.match(await run('app new-origin dismiss diary'), { code: 0, err: /Dismissed/ })
    t.same((await json('app new-origin list')).value, [])
  })
})
