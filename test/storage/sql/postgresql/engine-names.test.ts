// Engines that answer in PostgreSQL's protocol: what calls itself PostgreSQL is taken, everything else is refused with
// its name and the setting.

import t from 'tap'
import { requireEngine } from '../../../../src/storage/sql/postgresql/postgresql-engine.js'

const taken = [
  'PostgreSQL 15.14 (Debian 15.14-0+deb12u1) on x86_64-pc-linux-gnu, compiled by gcc (Debian 12.2.0-14) 12.2.0, 64-bit',
  'PostgreSQL 16.4 (Ubuntu 16.4-1.pgdg22.04+1) on aarch64-unknown-linux-gnu, compiled by gcc, 64-bit',
  'PostgreSQL 18.6 on x86_64-pc-linux-gnu, compiled by gcc (GCC) 8.5.0, 64-bit',
  'PostgreSQL 17.2 on x86_64-pc-linux-musl, compiled by gcc (Alpine 14.2.0) 14.2.0, 64-bit',
  'PostgreSQL 18beta2 on x86_64-pc-linux-gnu, compiled by clang, 64-bit',
  'PostgreSQL 14.9 (Homebrew) on aarch64-apple-darwin22.4.0, compiled by Apple clang version 14.0.3, 64-bit',
  'PostgreSQL 16.3 - Percona Distribution on x86_64-pc-linux-gnu, compiled by gcc, 64-bit',
  'PostgreSQL 15.4 (EnterpriseDB Advanced Server 15.4.0) on x86_64-pc-linux-gnu, compiled by gcc, 64-bit',
]

const refused: readonly (readonly [string, RegExp])[] = [
  ['CockroachDB CCL v24.1.1 (x86_64-pc-linux-gnu, built 2024/06/05 12:00:00, go1.22.3)', /is CockroachDB, not/],
  ['PostgreSQL 11.2-YB-2.20.1.3-b0 on x86_64-pc-linux-gnu, compiled by clang version 16.0.6, 64-bit', /YugabyteDB/],
  ['PostgreSQL 15.2-YB-2025.1.0.0-b0 on x86_64-pc-linux-gnu, compiled by clang version 17.0.6, 64-bit', /YugabyteDB/],
  ['PostgreSQL 8.0.2 on i686-pc-linux-gnu, compiled by GCC gcc (GCC) 3.4.2, Redshift 1.0.77467', /Redshift/],
  ['PostgreSQL 12.12 (Greenplum Database 7.1.0 build commit:abc) on x86_64-pc-linux-gnu', /Greenplum/],
  ['PostgreSQL 9.5.0 on x86_64-unknown-linux-gnu (Materialize 26.1.0)', /Materialize/],
  ['PostgreSQL 13.14.0-RisingWave-2.1.0 (abc)', /RisingWave/],
  ['CrateDB 5.9.1 (built abc/NA, Linux 6.5 amd64, OpenJDK 64-Bit Server VM 22)', /CrateDB/],
  ['(openGauss 3.1.0 build abc) on x86_64-unknown-linux-gnu', /openGauss/],
  ['PostgreSQL 17.5 on x86_64-pc-linux-gnu, compiled by emcc (Emscripten gcc/clang-like replacement) 3.1.74', /PGlite/],
  ['PostgreSQL 16', /an engine that is not known here/],
  ['PostgreSQL 16.1 (SomethingElse 3.0) on x86_64-pc-linux-gnu', /an engine that is not known here/],
  ['', /an engine that is not known here/],
]

t.test('what calls itself PostgreSQL is taken, and anything else is refused by name', async (t) => {
  for (const version of taken) t.doesNotThrow(() => requireEngine(version, 'postgresql'), version)
  for (const [version, message] of refused) {
    t.throws(() => requireEngine(version, 'postgresql'), { code: 'unsafe_database', message })
    t.throws(() => requireEngine(version, 'postgresql'), { message: /store\.postgresql\.engine: other/ })
    t.doesNotThrow(() => requireEngine(version, 'other'), 'the operator said so')
  }
})
