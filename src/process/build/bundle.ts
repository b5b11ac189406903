// The program in a few files: of the time of a start, half went into finding and linking three thousand modules. It is
// made of the sources of the product, with the packages that have no native part (decision 139).

import { rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { build, type Plugin, transform } from 'esbuild'
import { fileCheckModule } from '../../config/check/standalone.js'

/** Packages with a native part, and those that an installation may be without. */
const external = ['@node-rs/argon2', '@photostructure/sqlite', '@opentelemetry/*', 'pg-native']

/** What a CommonJS package expects to find. */
const banner = `import { createRequire as requireOfBundle } from 'node:module'
const require = requireOfBundle(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname`

const target = 'node20'

/** Where the parts of the program are, beside its main file, whose place the caller says. */
const partsFolder = 'program'

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

/** What is compiled from a schema is written down once, instead of at each start; nobody reads it. */
const compiledAlready: Plugin = {
  name: 'compiled already',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]config[\\/]check[\\/]file-check\.ts$/ }, async () => {
      const { code } = await transform(fileCheckModule(), { minify: true, format: 'esm', target })
      return { contents: code, loader: 'js' }
    })
  },
}

/**
 * A running program keeps its text in memory, twice as large where one character is not in Latin-1, as in comments of
 * packages. They are left out; names stay, for stack traces.
 */
const packagesWithoutComments: Plugin = {
  name: 'packages without comments',
  setup({ onLoad }) {
    onLoad({ filter: /\.[cm]?js$/ }, async ({ path }) => {
      if (!path.split(sep).includes('node_modules')) return undefined
      // With its map, so that what is read by `--enable-source-maps` still names the package's own lines.
      const as = { minifyWhitespace: true, target, sourcemap: 'inline', sourcefile: path } as const
      const { code } = await transform(await readFile(path, 'utf8'), as)
      return { contents: code, loader: 'js' }
    })
  },
}

/**
 * Writes the program of the checkout in `root` to `main`, below its folder `dist`, and its parts to dist/program, where
 * nothing else stays; its main file. What is imported on demand is a part of its own. Throws esbuild's errors.
 */
export async function bundleProgram(root: string, main: string): Promise<string> {
  const outdir = join(root, 'dist')
  rmSync(join(outdir, partsFolder), { recursive: true, force: true })
  await build({
    entryPoints: [
      { in: join(root, 'src/main.ts'), out: join(dirname(main), basename(main, '.js')) },
      // A thread begins with a file of its own, beside the part that begins it.
      { in: join(root, 'src/process/load-thread.ts'), out: `${partsFolder}/load-thread` },
      { in: join(root, 'src/ledger/ranges/range-thread.ts'), out: `${partsFolder}/range-thread` },
    ],
    outdir,
    absWorkingDir: root,
    chunkNames: `${partsFolder}/[name]-[hash]`,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target,
    external,
    plugins: [packagesOnDemand, compiledAlready, packagesWithoutComments],
    banner: { js: banner },
    // Read by `node --enable-source-maps`; the program alone never does.
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'error',
  })
  return join(outdir, main)
}
