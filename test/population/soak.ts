// Minutes of honest and hostile load without a break: what the process holds and how fast it answers stays as it was.

import { readdirSync, readFileSync } from 'node:fs'
import { type HonestCaller, percentile } from './honest.js'
import type { HostileProcess } from './hostile/process.js'
import { mixes } from './mixes.js'
import type { World } from './world.js'

export interface Soak {
  world: World
  honest: HonestCaller
  hostile: HostileProcess
  minutes: number
  seed: number
}

interface Sample {
  /** Resident, MiB, with nobody hostile. */
  residentMb: number
  descriptors: number
  p99Ms: number
  wrong: number
}

/** One mix after the other; a sample in the pause after each. */
const mixMs = 12_000
const pauseMs = 3_000
/** What may have grown by the end, against the first third: a garbage collector takes its time. */
const most = { residentTimes: 1.35, residentMb: 60, descriptors: 40, p99Times: 3 }

/** Says each sample and the whole; whether all of it stayed flat and nothing honest was refused. */
export async function soak({ world, honest, hostile, minutes, seed }: Soak): Promise<boolean> {
  const end = performance.now() + minutes * 60_000
  const samples: Sample[] = []
  for (let n = 0; performance.now() < end; n += 1) {
    const acts = mixes(seed + n, 1)[0] ?? []
    hostile.act(acts)
    const loud = await honest.round(mixMs)
    await hostile.stop()
    const quiet = await honest.round(pauseMs)
    const wrong = [...loud.wrong, ...quiet.wrong]
    const sample = { ...processOf(world), p99Ms: percentile(loud.callsMs, 0.99), wrong: wrong.length }
    samples.push(sample)
    const what = acts.map(({ name, force }) => `${name} × ${force.toFixed(1)}`).join(' and ')
    console.log(`${describe(sample)}: ${what}`)
    for (const [problem, count] of wrong) console.log(`  ${problem} (${count} times)`)
  }
  return judged(samples)
}

function judged(samples: readonly Sample[]): boolean {
  const third = Math.max(1, Math.floor(samples.length / 3))
  const [first, last] = [medianOf(samples.slice(0, third)), medianOf(samples.slice(-third))]
  console.log(`first third, medians: ${describe(first)}\nlast third, medians: ${describe(last)}`)
  const wrong = samples.reduce((sum, sample) => sum + sample.wrong, 0)
  const flat =
    last.residentMb <= Math.max(first.residentMb * most.residentTimes, first.residentMb + most.residentMb) &&
    last.descriptors <= first.descriptors + most.descriptors &&
    last.p99Ms <= Math.max(first.p99Ms * most.p99Times, first.p99Ms + 20)
  console.log(`${flat ? 'flat' : 'NOT FLAT'}; ${wrong} kinds of honest calls went wrong`)
  return flat && wrong === 0
}

function describe({ residentMb, descriptors, p99Ms }: Sample): string {
  return `${residentMb.toFixed(0)} MiB, ${descriptors} descriptors, p99 ${p99Ms.toFixed(1)} ms`
}

function medianOf(samples: readonly Sample[]): Sample {
  const median = (of: (sample: Sample) => number) =>
    percentile(
      samples.map(of).sort((a, b) => a - b),
      0.5,
    )
  return {
    residentMb: median(({ residentMb }) => residentMb),
    descriptors: median(({ descriptors }) => descriptors),
    p99Ms: median(({ p99Ms }) => p99Ms),
    wrong: 0,
  }
}

function processOf({ program: { child } }: World): { residentMb: number; descriptors: number } {
  const { pid } = child
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return {
    residentMb: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  }
}
