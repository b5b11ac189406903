// `npm run sbom`: writes dist/sbom.cdx.json and dist/THIRD-PARTY.txt, from package-lock.json and what is installed. Asks
// no registry. With a licence that is not permitted it writes neither, names the package and ends with 1.

import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { billOfMaterials } from './bill-of-materials.js'
import { licenceReport, refusedLicences } from './licences.js'
import { type Lock, productionPackages } from './production-packages.js'

const root = process.cwd()
try {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock
  const packages = productionPackages(lock)
  const refused = refusedLicences(packages)
  if (refused.length > 0) {
    throw new Error(`not a permitted licence (test/release/licences.ts):\n${refused.join('\n')}`)
  }
  mkdirSync(join(root, 'dist'), { recursive: true })
  const bill = billOfMaterials(lock, { serial: randomUUID(), at: new Date() })
  write('sbom.cdx.json', `${JSON.stringify(bill, undefined, 2)}\n`)
  write('THIRD-PARTY.txt', licenceReport(packages, root))
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}

function write(name: string, text: string): void {
  writeFileSync(join(root, 'dist', name), text)
  console.log(`dist/${name}`)
}
