// The program in a few files, for the programs that the tests start: of the seconds that a start takes of a processor,
// half go into the loading of three thousand modules, and a run starts hundreds. It is made of the sources of the
// product, with the packages that have no native part. What is packed and installed (package/, deploy/) starts from its
// own files, and so does a test that runs without the runner.

import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'

/** Packages with a native part, and those that an installation may be without. */
const external = ['@node-rs/argon2', '@photostructure/sqlite', '@opentelemetry/*', 'pg-native']

/** What a CommonJS package expects to find. */
const banner = `import { createRequire as requireOfBundle } from 'node:module'
const require = requireOfBundle(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname`

/**
 * A package that is imported when it is needed stays outside: of a CommonJS one, Node makes names that esbuild does not
 * make.
 */
const packagesOnDemand: Plugin = {
  name: 'packages on demand',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ kind }) => (kind === 'dynamic-import' ? { external: true } : undefined))
  },
}

/** Writes the bundle of the program of `root` to dist/program/; its main file. Throws esbuild's errors. */
export async function bundleProgram(root: string): Promise<string> {
  const outdir = join(root, 'dist/program')
  await build({
    entryPoints: [join(root, 'src/main.ts')],
    outdir,
    bundle: true,
    // What a command does not need stays in files that it does not load.
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external,
    plugins: [packagesOnDemand],
    banner: { js: banner },
    logLevel: 'error',
  })
  return join(outdir, 'main.js')
}
