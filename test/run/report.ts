// Reads what a process of test files printed: for each file how many assertions passed and failed, and its own part of
// the output.

export interface FileReport {
  file: string
  passed: number
  failed: number
  seconds: number
  /** Of its process and of those that it started and waited for; 0 where that cannot be read. */
  processorSeconds: number
  /** What its tests said beside their assertions: what they measured, a line each. */
  figures: string[]
  output: string
}

/** Of each file that the process should have run, in order; one that it never came to, or broke off in, has failed. */
export function readReports(files: readonly string[], output: string, endedWell: boolean): FileReport[] {
  const parts = output.split(/^# file (?=dist\/test\/)/m).slice(1)
  const reports = files.map((file): FileReport => {
    const part = parts.find((one) => one.startsWith(`${file}\n`))
    if (part === undefined)
      return { file, passed: 0, failed: 1, seconds: 0, processorSeconds: 0, figures: [], output: 'it was never begun' }
    const took = /^# took (\d+) ms(?:, (\d+) ms of processor)?$/m.exec(part)
    const passed = count(part, /^ *ok \d/)
    const failed = count(part, /^ *not ok \d/)
    const isBroken = took === null || passed === 0
    return {
      file,
      passed,
      failed: Math.max(failed, isBroken ? 1 : 0),
      seconds: Number(took?.[1] ?? 0) / 1000,
      processorSeconds: Number(took?.[2] ?? 0) / 1000,
      figures: figuresIn(part),
      output: part,
    }
  })
  const last = reports.at(-1)
  // What fails after the last test, such as something left open, belongs to all; it is reported once.
  if (!endedWell && last !== undefined && reports.every(({ failed }) => failed === 0)) {
    reports[reports.length - 1] = { ...last, failed: 1, output: `the process did not end well\n${output}` }
  }
  return reports
}

/** Assertions only: the line of a test as a whole has its time. */
function count(part: string, line: RegExp): number {
  return part.split('\n').filter((one) => line.test(one) && !/ # time=[\d.]+ms( \{)?$/.test(one)).length
}

/** The comments of tests, which stand under them; tap's own are left out. */
function figuresIn(part: string): string[] {
  return [...part.matchAll(/^ +# (?!Subtest: |time=|failed \d)(.+)$/gm)].map(([, said = '']) => said)
}
