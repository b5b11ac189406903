// A tarball is the same bytes for the same files, and what tar reads in it is what was put in.

import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { type PackageFile, packTarball } from '../../src/downloads/tarball.js'

const deep = `${'a'.repeat(60)}/${'b'.repeat(60)}/c.js`
const files: PackageFile[] = [
  { name: 'package.json', content: Buffer.from('{}\n') },
  { name: 'bin/main.js', content: Buffer.from('#!/usr/bin/env node\n'), isExecutable: true },
  { name: deep, content: Buffer.alloc(512, 'x') },
  { name: 'empty', content: Buffer.alloc(0) },
]

t.test('the same files in any order are the same bytes, without the time and the platform', async (t) => {
  const bytes = await packTarball(files)
  t.ok(bytes.equals(await packTarball(files.toReversed())))
  t.same([...bytes.subarray(4, 10)], [0, 0, 0, 0, 2, 255], 'RFC 1952: no time, best compression, unknown platform')
  t.notOk(bytes.equals(await packTarball([...files, { name: 'z', content: Buffer.alloc(0) }])))
})

t.test('tar reads it: names, contents, modes', async (t) => {
  const folder = t.testdir()
  const [tarball, target] = [join(folder, 'a.tgz'), join(folder, 'out')]
  writeFileSync(tarball, await packTarball(files))
  mkdirSync(target)
  const { status, stderr } = spawnSync('tar', ['-xzf', tarball, '-C', target], { encoding: 'utf8' })
  t.equal(status, 0, stderr)
  t.equal(stderr, '', 'without a complaint')
  for (const { name, content } of files) t.same(readFileSync(join(target, 'package', name)), content, name)
  t.equal(statSync(join(target, 'package/bin/main.js')).mode & 0o111, 0o111)
  t.equal(statSync(join(target, 'package/package.json')).mode & 0o111, 0)
})

t.test('a name that the format cannot hold is refused', async (t) => {
  await t.rejects(packTarball([{ name: 'x'.repeat(101), content: Buffer.alloc(0) }]), RangeError)
  await t.rejects(packTarball([{ name: `${'é'.repeat(90)}/${'x'.repeat(99)}`, content: Buffer.alloc(0) }]), RangeError)
})
