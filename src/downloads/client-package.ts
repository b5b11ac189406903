// The client library as a package of its own: what the build made of src/client, and a manifest without dependencies.

import { readdir, readFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { PackageFile } from './tarball.js'

/** What programs install and import. The one place that names it. */
export const clientPackageName = 'portcullis-client'

/** The files, read from the build in `root` (the server's package); undefined when that has no whole client. */
export async function readClientPackage(root: string, version: string): Promise<PackageFile[] | undefined> {
  const folder = join(root, 'dist', 'src', 'client')
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(nothingThere)
  const names = entries
    .filter((entry) => entry.isFile() && /\.(?:js|d\.ts)$/.test(entry.name))
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .split(sep)
        .join('/'),
    )
  const modules = names.filter((name) => name.endsWith('.js'))
  const isTyped = modules.every((name) => names.includes(name.replace(/js$/, 'd.ts')))
  if (modules.length === 0 || !isTyped) return undefined
  const library = await Promise.all(
    names.map(async (name) => ({ name, content: withoutMap(await readFile(join(folder, name), 'utf8')) })),
  )
  const license = await readFile(join(root, 'LICENSE'))
  return [
    { name: 'package.json', content: Buffer.from(manifest(version)) },
    { name: 'README.md', content: Buffer.from(readme) },
    { name: 'LICENSE', content: license },
    ...library,
  ]
}

function nothingThere(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT') return []
  throw error
}

/** The map stays with the build. */
function withoutMap(text: string): Buffer {
  return Buffer.from(text.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n'))
}

function manifest(version: string): string {
  const entry = (name: string) => ({ types: `./${name}.d.ts`, default: `./${name}.js` })
  const about = {
    name: clientPackageName,
    version,
    description: 'Tokens of an OAuth 2.0 issuer: got, shared, kept and renewed, in Node and in browsers',
    keywords: ['oauth2', 'openid-connect', 'client', 'access-token', 'pkce', 'device-code'],
    license: 'Apache-2.0',
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20' },
    exports: {
      '.': entry('index'),
      './loopback': entry('grants/loopback'),
      './package.json': './package.json',
    },
  }
  return `${JSON.stringify(about, undefined, 2)}\n`
}

const importing = (names: string) => `import { ${names} } from '${clientPackageName}'`

const readme = `# ${clientPackageName}

Gets tokens of a Portcullis server, or of any other OAuth 2.0 issuer that publishes its metadata; shares, keeps and renews
them. For Node 20 or later and for browsers, as ES modules with types, without dependencies.

\`\`\`js
${importing('createClient, createFetch')}

const client = createClient({ issuer: 'https://id.example', clientId: '…', clientSecret: process.env.CLIENT_SECRET })
const call = createFetch(client.application(), { resources: ['https://api.example'] }) // the token goes nowhere else
const response = await call('https://api.example/things')
\`\`\`

Programs that sign a person in on this machine listen with \`${clientPackageName}/loopback\`. Apache License 2.0.
`
