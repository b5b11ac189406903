// PostgreSQL is killed and hangs.
// full: kills and stops PostgreSQL
// run: alone

import t from 'tap'
import { postgresqlHangs } from './postgresql/postgresql-hangs.js'
import { postgresqlKilled } from './postgresql/postgresql-killed.js'
import { testStories } from './test-stories.js'

await testStories(t, [postgresqlKilled, postgresqlHangs])
