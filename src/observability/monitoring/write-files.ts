// `npm run monitoring`: writes the dashboards and alerts of deploy/ anew.

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { monitoringFiles } from './files.js'

for (const [path, text] of monitoringFiles()) {
  const file = join('deploy', path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  console.log(file)
}
