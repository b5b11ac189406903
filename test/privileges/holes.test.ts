// Every planted mistake can still be planted: `npm run attack -- privileges --holes` puts each of them into a copy and has
// to find it.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../src/config/read/package-root.js'
import { holes } from './holes.js'

t.test('the line that each mistake changes is where it says', async (t) => {
  for (const { name, path, changes } of holes) {
    const text = readFileSync(join(String(packageRoot()), path), 'utf8')
    for (const [from, to] of changes) t.ok(text.includes(from) && from !== to, `${name}: ${path}`)
  }
})
