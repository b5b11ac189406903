// The bill of materials (SBOM) as CycloneDX 1.5: which packages of others run in production, and who needs whom. Pure.

import { type Lock, needsAt, type ProductionPackage, productionPackages } from './production-packages.js'

const algorithms: Readonly<Record<string, string>> = {
  sha1: 'SHA-1',
  sha256: 'SHA-256',
  sha384: 'SHA-384',
  sha512: 'SHA-512',
}

/** The document, ready for JSON. `serial` is a UUID of its own for each document, `at` when it was made. */
export function billOfMaterials(lock: Lock, { serial, at }: { serial: string; at: Date }): object {
  const packages = productionPackages(lock)
  const itself = `pkg:npm/${lock.name}@${lock.version}`
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${serial}`,
    version: 1,
    metadata: {
      timestamp: at.toISOString(),
      lifecycles: [{ phase: 'pre-build' }],
      component: {
        type: 'application',
        'bom-ref': itself,
        name: lock.name,
        version: lock.version,
        purl: itself,
        ...licencesOf(lock.packages['']?.license),
      },
    },
    components: packages.map(componentOf),
    dependencies: [
      { ref: itself, dependsOn: needsAt(lock, '') },
      ...packages.map(({ purl, needs }) => ({ ref: purl, dependsOn: needs })),
    ],
  }
}

function componentOf(one: ProductionPackage): object {
  const [, algorithm = '', digest = ''] = /^(\w+)-(\S+)/.exec(one.integrity ?? '') ?? []
  const alg = algorithms[algorithm]
  return {
    type: 'library',
    'bom-ref': one.purl,
    name: one.name,
    version: one.version,
    scope: one.isOptional ? 'optional' : 'required',
    ...(alg === undefined ? {} : { hashes: [{ alg, content: Buffer.from(digest, 'base64').toString('hex') }] }),
    ...licencesOf(one.licence),
    purl: one.purl,
  }
}

function licencesOf(licence: string | undefined): { licenses?: readonly object[] } {
  if (licence === undefined) return {}
  return { licenses: [/[\s()]/.test(licence) ? { expression: licence } : { license: { id: licence } }] }
}
