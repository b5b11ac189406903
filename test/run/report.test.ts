// What a run makes of the output of its processes: nothing that failed, and nothing that did not happen, looks like
// success.

import t from 'tap'
import { readReports } from './report.js'

const one = 'dist/test/a.test.js'
const two = 'dist/test/b.test.js'
const good = `# file ${one}
# Subtest: first
    ok 1 - yes
    ok 2 - yes
    1..2
ok 1 - first # time=2.5ms
# took 12 ms
`
const bad = `# file ${two}
# Subtest: second
    ok 1 - yes
    not ok 2 - no
    1..2
not ok 2 - second # time=1ms
# took 1500 ms, 700 ms of processor
`

t.test('assertions are counted for each file, tests as a whole are not', async (t) => {
  const [first, second] = readReports([one, two], `TAP version 14\n${good}${bad}1..2\n`, false)
  t.match(first, { file: one, passed: 2, failed: 0, seconds: 0.012, processorSeconds: 0 })
  t.match(second, { file: two, passed: 1, failed: 1, seconds: 1.5, processorSeconds: 0.7 })
  t.notOk(second?.output.includes('first'), 'a file has its own part of the output')
})

t.test('what was measured is shown, and what tap says of its own is not', async (t) => {
  const said =
    '    # 20 withdrawals: p50 4.1 ms\n        # two\n    # Subtest: inner\n    # time=3ms\n    # failed 1 of 2 tests\n'
  const [report] = readReports([one], good.replace('    1..2\n', `${said}    1..2\n`), true)
  t.same(report?.figures, ['20 withdrawals: p50 4.1 ms', 'two'])
  t.equal(report?.passed, 2)
})

t.test('a file that was never begun, broke off, or asserted nothing has failed', async (t) => {
  t.equal(readReports([one, two], good, true)[1]?.failed, 1)
  t.equal(readReports([one], good.replace(/# took .*\n/, ''), true)[0]?.failed, 1)
  t.equal(readReports([one], `# file ${one}\n# took 1 ms\n`, true)[0]?.failed, 1)
})

t.test('a process that ends badly after good tests has failed once', async (t) => {
  const reports = readReports([one], good, false)
  t.match(reports, [{ failed: 1, output: /did not end well/ }])
})
