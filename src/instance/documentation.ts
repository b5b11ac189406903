// The documentation of this server: the pages of src/docs, and what rooms say of themselves. Written at the first
// request for it, because most processes never get one.

import { join } from 'node:path'
import { packageRoot } from '../config/read/package-root.js'
import type { Metrics } from '../observability/metrics.js'
import { createLibrary, type Library, type ReferenceSource } from '../web/docs/library.js'

export interface DocumentationOptions {
  /** Those that this process exports. */
  metrics: Pick<Metrics, 'registry'>
  version: string
}

/** Reads the library once. */
export function openDocumentation(options: DocumentationOptions): () => Promise<Library> {
  return createLibrary(join(packageRoot(), 'src', 'docs'), references(options))
}

function references({ metrics, version }: DocumentationOptions): ReferenceSource[] {
  const group = 'Reference'
  return [
    {
      slug: 'configuration-reference',
      title: 'Configuration reference',
      group,
      order: 40,
      write: async () => (await import('../config/report/settings-reference.js')).settingsReference(),
    },
    {
      slug: 'command-reference',
      title: 'Command reference',
      group,
      order: 41,
      write: async () => (await import('../cli/command-reference.js')).commandReference(version),
    },
    {
      slug: 'metrics-reference',
      title: 'Metrics reference',
      group,
      order: 42,
      write: async () => {
        const { metricsReference } = await import('../observability/metrics-reference.js')
        return metricsReference(metrics.registry)
      },
    },
  ]
}
