// A tenant and an application of a running program that say what they look like, and whether another program still says
// it: in words, and by the pictures that it serves.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { call } from '../programs/demo.js'
import type { Program } from '../programs/program.js'
import { runCommand } from '../rooms/cli.js'
import { pngFile } from './pictures.js'

/** Gives both a brand; the result checks that `program`, as commands in `cwd` reach it, says the same. */
export async function brandSomething(t: Test, program: Program) {
  const { env, cwd } = program
  const run = async (folder: string, ...words: string[]) => {
    const { code, out, err } = await runCommand(words, { cwd: folder, env })
    t.equal(code, 0, `${words.join(' ')}\n${err}`)
    return out
  }
  const json = async (folder: string, ...words: string[]) => JSON.parse(await run(folder, ...words, '-o', 'json'))
  for (const [name, width] of [
    ['light', 64],
    ['dark', 48],
    ['app', 32],
  ] as const) {
    writeFileSync(join(cwd, `${name}.png`), pngFile(width, 32))
  }
  const { tenantId } = (await json(cwd, 'tenant', 'list')).value[0]
  const links = ['--terms', 'https://contoso.example/terms', '--privacy', 'https://contoso.example/privacy']
  const logos = ['--logo', 'light.png', '--logo-dark', 'dark.png']
  await run(
    cwd,
    'tenant',
    'brand',
    'set',
    tenantId,
    '--name',
    'Contoso Sign-on',
    '--accent',
    '#0b5cad',
    ...links,
    ...logos,
  )
  await run(cwd, 'app', 'create', 'diary')
  await run(cwd, 'app', 'brand', 'set', 'diary', '--home', 'https://diary.example', ...links, '--logo', 'app.png')
  const said = async (from: Program, folder: string) => {
    const tenant = await json(folder, 'tenant', 'brand', 'show', tenantId)
    const application = await json(folder, 'app', 'brand', 'show', 'diary')
    const paths = [tenant.logo.path, tenant.logoDark.path, application.logo.path]
    const pictures = await Promise.all(paths.map(async (path) => (await call(from, path)).body))
    return { tenant, application, pictures }
  }
  const before = await said(program, cwd)
  t.equal(new Set(before.pictures).size, 3, 'three pictures')
  return async (after: Program, folder = cwd) =>
    t.same(await said(after, folder), before, 'brands and pictures are there')
}
