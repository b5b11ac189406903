// Reads manifests of applications: YAML or JSON, one document, several, or a list. Every mistake is told at once with
// its place, as for the configuration. Nothing is taken from the environment: a manifest says the same to everybody.

import { Ajv, type SchemaObject, type ValidateFunction } from 'ajv'
import { ConfigurationErrors } from '../report/problem.js'
import { createReport } from '../report/report.js'
import { ApplicationManifest } from '../schema/manifest.js'
import type { Path } from './places.js'
import { readDocuments } from './source.js'
import { reportShape } from './validate.js'

/**
 * The manifests of a text, at least one; `file` is its name for messages. Throws ConfigurationErrors with every
 * mistake.
 */
export function readManifests(text: string, file: string): ApplicationManifest[] {
  const report = createReport(file)
  const check = compiled()
  const documents = readDocuments(text, report).flatMap(({ path, data }) => elements(path, data))
  if (documents.length === 0) report.problem([], 'describes no application')
  const names = new Map<string, Path>()
  for (const { path, data } of documents) {
    if (typeof data !== 'object' || data === null || Array.isArray(data)) {
      report.problem(path, 'must describe an application: a mapping with name and type')
      continue
    }
    reportShape(check, data, path, report)
    const { name, tenant } = data as Partial<ApplicationManifest>
    const key = JSON.stringify([tenant, name])
    if (names.has(key)) report.problem([...path, 'name'], 'two applications of this file have the same name')
    names.set(key, path)
  }
  if (report.problems().length > 0) throw new ConfigurationErrors(report.problems())
  return documents.map(({ data }) => data as ApplicationManifest)
}

function elements(path: Path, data: unknown): { path: Path; data: unknown }[] {
  if (!Array.isArray(data)) return [{ path, data }]
  return data.map((one: unknown, index) => ({ path: [...path, index], data: one }))
}

function compiled(): ValidateFunction {
  const ajv = new Ajv({ allErrors: true, verbose: true, strict: true, meta: false, validateSchema: false })
  ajv.addKeyword('errorMessage')
  return ajv.compile(ApplicationManifest as SchemaObject)
}
