// The programs of the portal for Python, Go and Java run as they are pasted, for the three kinds of application. A
// toolchain that is missing fails its tests by name; Go gets its library from its own proxy.
// full: toolchains of three languages, a browser and a program
// run: apart

import { spawnSync } from 'node:child_process'
import t from 'tap'
import {
  calls,
  firstCall,
  openSnippets,
  type SnippetBench,
  type SnippetKind,
} from '../../support/programs/snippet-applications.js'

t.setTimeout(600_000)

const toolchains = { python: 'python3', go: 'go', java: 'keytool' }

let bench: SnippetBench
t.before(async () => {
  bench = await openSnippets(t)
})

for (const [language, command] of Object.entries(toolchains)) {
  for (const kind of Object.keys(calls) as SnippetKind[]) {
    t.test(`${language}, ${kind}: what the page shows is pasted and makes its first call`, async (t) => {
      const { status } = spawnSync('sh', ['-c', `command -v ${command}`])
      if (status !== 0) return void t.fail(`${command} is not installed; npm run test:all without words installs it`)
      const { call, answer } = await firstCall(bench, language, kind)
      t.equal(call, calls[kind])
      t.match(JSON.parse(answer), kind === 'server' ? [] : { idProvider: 'local' })
    })
  }
}
