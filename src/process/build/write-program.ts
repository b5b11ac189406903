// A program for the build: puts the bundle of the program in the place of the compiled dist/src/main.js, so that
// whatever starts that file starts the bundle. The other compiled files stay: the client library is among them.

import { packageRoot } from '../../config/read/package-root.js'
import { bundleProgram } from './bundle.js'

await bundleProgram(packageRoot(), 'src/main.js')
