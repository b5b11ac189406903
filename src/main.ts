#!/usr/bin/env node
// The process: one program for the server and for every command. What is slow to load is loaded by what needs it.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommandLine } from './cli/program.js'
import { packageRoot } from './config/read/package-root.js'

const { version } = JSON.parse(readFileSync(join(String(packageRoot()), 'package.json'), 'utf8')) as { version: string }

process.exitCode = await runCommandLine(
  {
    version,
    serve: async (options) => (await import('./process/serve.js')).serve({ ...options, version }),
    backend: async (options) => (await import('./process/serve-backend.js')).serveBackend({ ...options, version }),
  },
  process.argv.slice(2),
)
