import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../src/config/read/package-root.js'
import { checkOptions } from '../bench/options.js'

t.test('the bench takes the options that its page lists, and refuses others before it starts anything', async (t) => {
  const page = readFileSync(join(packageRoot(), 'test/bench/README.md'), 'utf8')
  const listed = [...page.matchAll(/^\| (`--[^|]*) \|/gm)].flatMap(([, cell = '']) => cell.match(/--[a-z-]+/g) ?? [])
  t.ok(listed.includes('--seconds') && listed.includes('--before'), listed.join(' '))
  for (const option of listed) t.doesNotThrow(() => checkOptions([option, '1']), option)
  t.doesNotThrow(() => checkOptions([]))
  for (const wrong of ['--help', '--second', '--'])
    t.throws(() => checkOptions(['--paced', wrong]), { message: /^there is no option --.*--rounds/ })
})
