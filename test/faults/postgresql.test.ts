// PostgreSQL is killed and hangs.

import t from 'tap'
import { postgresqlHangs } from './postgresql-hangs.js'
import { postgresqlKilled } from './postgresql-killed.js'
import { testStories } from './test-stories.js'

await testStories(t, [postgresqlKilled, postgresqlHangs])
