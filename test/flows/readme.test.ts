// README.md is true: its commands, cut from the page and run by sh, do what they say, one's own service included.

import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { defaultConfigFile, packageRoot } from '../../src/config/package-root.js'
import { installClient } from '../support/installed-client.js'
import { browseProgram, signInAndAccept } from '../support/people-program.js'
import { plainEnvironment } from '../support/plain-environment.js'
import { type Program, programWords, startProgram } from '../support/program.js'

const readme = readFileSync(join(String(packageRoot()), 'README.md'), 'utf8')

/** The block of code in which `marker` stands. */
function block(marker: string): string {
  const found = [...readme.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].find(([, text]) => text?.includes(marker))
  return found?.[1] ?? `there is no block with ${marker}`
}

function sh(program: Program, script: string): Promise<{ code: number | null; out: string; err: string }> {
  const words = programWords().map((word) => `'${word}'`)
  const child = spawn('sh', ['-e', '-c', `portcullis() { ${words.join(' ')} "$@"; }\n${script}`], {
    cwd: program.cwd,
    env: { ...plainEnvironment(), ...program.env },
  })
  const printed = { out: '', err: '' }
  child.stdout.on('data', (chunk: Buffer) => (printed.out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (printed.err += chunk.toString()))
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, ...printed })))
}

t.test('the commands of README.md work as they stand there', { timeout: 240_000 }, async (t) => {
  const own = createServer((request, response) => response.end(`${request.url} ${request.headers.authorization}`))
  await new Promise<void>((resolve) => own.listen(0, '127.0.0.1', resolve))
  t.teardown(() => void own.close())
  const cwd = t.testdir()
  const config = join(cwd, 'portcullis.yaml')
  const target = `127.0.0.1:${(own.address() as AddressInfo).port}`
  writeFileSync(config, withOwnService(block('Reports.Read:').replace('127.0.0.1:3000', target)))
  const program = await startProgram({ cwd, env: { PORTCULLIS_CONFIG: config } })
  t.teardown(() => program.stop())

  const commands = await sh(program, `TOKEN=$(portcullis token --app hello)\n${block('portcullis doctor')}`)
  t.equal(commands.code, 0, commands.err)
  t.match(commands.out, /"state":"Enabled"/, 'the call was answered')
  t.match(readFileSync(join(cwd, 'data', 'reports.env'), 'utf8'), /^PORTCULLIS_CLIENT_SECRET=pcl_sk_/m)

  installClient(cwd)
  writeFileSync(
    join(cwd, 'worker.mjs'),
    block("from 'portcullis/client'").replaceAll('https://localhost:8443', program.baseUrl),
  )
  const coded = await sh(program, block('node --env-file'))
  t.equal(coded.code, 0, coded.err)
  t.match(coded.out, /state: 'Enabled'/, 'the program got its list')

  const called = await sh(program, block('app create reader'))
  t.equal(called.code, 0, called.err)
  t.match(called.out, /^\/api\/v2\/reports\/2026 Bearer eyJ/m, 'the service got the path and an assertion')

  await t.test('people are signed in by its commands, from the first owner to a withdrawn consent', async (t) => {
    const person = { name: 'Ada Lovelace', email: 'ada@contoso.example', password: 'seven unrelated green words' }
    const link = /Set up +https:\/\/[^/]+(\/set-up\/\S+)/.exec(program.output())?.[1]
    const owner = browseProgram(program)
    await owner.open(`${link}`)
    t.equal((await owner.submit(person, { form: 'set-up-form' })).title, 'Applications')

    const here = (marker: string) => block(marker).replaceAll('https://localhost:8443', program.baseUrl)
    const asked = await sh(program, `${here('VERIFIER=')}\necho "$VERIFIER"`)
    t.equal(asked.code, 0, asked.err)
    t.match(asked.out, /\/invitation\/pcl_ol_/, 'the colleague has a link')
    const [address = '', verifier = ''] = asked.out.trim().split('\n').slice(-2)
    const browser = browseProgram(program)
    await browser.open(address.slice(program.baseUrl.length))
    await signInAndAccept(browser, person)
    const back = new URL(browser.page.left ?? 'about:blank')
    t.equal(back.origin + back.pathname, 'https://diary.example/callback')

    const code = back.searchParams.get('code')
    const again = `. data/diary.env; VERIFIER=${verifier}\n${here('CODE=').replace(/^CODE=.*$/m, `CODE=${code}`)}`
    const withdraw = 'portcullis consent revoke diary\nask -H "Authorization: Bearer $(field access_token)"'
    const used = await sh(program, `${again}\n${withdraw} ${program.baseUrl}/api/v2/me`)
    t.equal(used.code, 0, used.err)
    t.match(used.out, `"email":"${person.email}"`, 'the call was for the person')
    t.match(used.out, /delegated:\S+User\.Read/, 'what they allowed is listed')
    t.match(used.out, /"code":"InvalidToken"/, 'once withdrawn, the token of the refresh is refused')
  })
})

/** The configuration that comes with Portcullis, with the lines of the page in their sections. */
function withOwnService(lines: string): string {
  const sections = [...lines.matchAll(/^(\w+:)\n(( {2}.*\n)+)/gm)]
  return sections.reduce(
    (text, [, heading, added]) => text.replace(new RegExp(`^${heading}$`, 'm'), `${heading}\n${added?.trimEnd()}`),
    readFileSync(defaultConfigFile(), 'utf8'),
  )
}
