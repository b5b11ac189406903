// Real Settings for the tests of every room: the file that ships, on port 0 and in a folder of its own.

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadSettings } from '../../../src/config/read/load.js'
import { defaultConfigFile } from '../../../src/config/read/package-root.js'
import type { Settings } from '../../../src/config/settings/settings.js'

/**
 * The default configuration with both listeners on 127.0.0.1 port 0 and a new temporary data folder; `overrides`
 * replace whole members. The caller removes `data.folder` (t.teardown), or passes one from t.testdir in
 * `overrides.data`.
 */
export function testSettings(overrides: Partial<Settings> = {}): Settings {
  const folder = overrides.data?.folder ?? mkdtempSync(join(tmpdir(), 'portcullis-'))
  const env = {
    PORTCULLIS_LISTEN: '127.0.0.1:0',
    PORTCULLIS_OPERATOR: '127.0.0.1:0',
    PORTCULLIS_DATA: folder,
    PORTCULLIS_LOG_LEVEL: 'silent',
  }
  return { ...loadSettings({ file: defaultConfigFile(), env }), ...overrides }
}
