// The gate for contracts: each must be good by the official schema and by two parsers that are not ours, and must not
// break who relies on the one released last (openapi/released/). Run by make check; given files are looked at on their own.
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import SwaggerParser from '@apidevtools/swagger-parser'
import { validate as validateBySchema } from '@hyperjump/json-schema/openapi-3-1'
import { validate as validateByScalar } from '@scalar/openapi-parser'

const root = path.resolve(import.meta.dirname, '..')
const redocly = path.join(root, 'node_modules/@redocly/cli/bin/cli.js')

/** Where the contract of a version is kept as it was released last. */
export const releasedPath = (version: string): string => path.join(root, 'openapi/released', `${version}.json`)
/** Where it is generated. */
export const currentPath = (version: string): string => path.join(root, 'generated', version, 'openapi.json')

type Json = boolean | null | number | string | Json[] | { [member: string]: Json }

/**
 * What others say against a document: the schema that the OpenAPI Initiative publishes for 3.1 (with the dialect for the
 * schemas inside), swagger-parser and Scalar's parser.
 * @returns nothing when all three read it without complaint
 */
async function faultsOf(document: Json): Promise<string[]> {
  const faults: string[] = []
  const official = await validateBySchema('https://spec.openapis.org/oas/3.1/schema-base', document, 'BASIC')
  if (!official.valid)
    faults.push(...(official.errors ?? []).map(({ instanceLocation }) => `official schema: ${instanceLocation}`))
  try {
    await SwaggerParser.validate(structuredClone(document) as never)
  } catch (error) {
    faults.push(`swagger-parser: ${(error as Error).message}`)
  }
  const { errors = [] } = await validateByScalar(JSON.stringify(document))
  return [
    ...faults,
    ...errors.map(({ message, path: at }) => `scalar: ${message} at ${[at ?? 'the document'].flat().join('/')}`),
  ]
}

/** One change that somebody who relies on the older document can notice. */
export interface Break {
  /** JSON pointer into the document. */
  at: string
  message: string
}

/** A break that is wanted: what stands at the pointer or below it, and why (openapi/accepted-breaks.json). */
interface AcceptedBreak {
  version: string
  at: string
  reason: string
}
const acceptedBreaks = JSON.parse(
  await readFile(path.join(root, 'openapi/accepted-breaks.json'), 'utf8'),
) as readonly AcceptedBreak[]

/** Returns the breaks between the released and the current contract of a version that nobody has accepted. */
export async function unacceptedBreaks(version: string): Promise<Break[]> {
  const accepted = acceptedBreaks.filter((one) => one.version === version)
  const breaks = await breaksBetween(releasedPath(version), currentPath(version))
  const outdated = accepted.filter((one) => !breaks.some(({ at }) => at.startsWith(one.at)))
  return [
    ...breaks.filter(({ at }) => !accepted.some((one) => at.startsWith(one.at))),
    ...outdated.map(({ at }) => ({ at, message: 'breaks nothing: remove it from openapi/accepted-breaks.json' })),
  ]
}

interface Diff {
  bump: 'major' | 'minor' | 'patch' | 'none'
  changes: { path: string; impact: string; verdicts?: { ruleId: string; impact: string; message: string }[] }[]
}

/**
 * What of a newer document breaks those who rely on an older one, by the rules of `redocly diff`.
 * @param released path of the older document @param revision path of the newer one
 */
export async function breaksBetween(released: string, revision: string): Promise<Break[]> {
  const { changes } = await diff(released, revision)
  return changes
    .filter(({ impact }) => impact === 'major')
    .flatMap(({ path: at, verdicts = [] }) =>
      verdicts
        .filter(({ impact }) => impact === 'major')
        .map(({ message, ruleId }) => ({ at, message: `${message} (${ruleId})` })),
    )
}

function diff(released: string, revision: string): Promise<Diff> {
  const given = [
    redocly,
    'diff',
    released,
    revision,
    '--config',
    'openapi/diff.yaml',
    '--format',
    'json',
    '--fail-on',
    'none',
  ]
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' }
  return new Promise((resolve, reject) => {
    execFile(process.execPath, given, { cwd: root, env, maxBuffer: 1 << 28 }, (error, stdout, stderr) => {
      if (error) reject(new Error(stderr || error.message))
      else resolve(JSON.parse(stdout) as Diff)
    })
  })
}

/** Prints what is wrong with a document on its own, and what breaks since it was released. @returns how much */
async function report(name: string, file: string, breaks: readonly Break[]): Promise<number> {
  const errors = await faultsOf(JSON.parse(await readFile(file, 'utf8')) as Json)
  for (const fieldError of errors) console.error(`${name}: ${fieldError}`)
  for (const { at, message } of breaks) console.error(`${name}: ${message}\n    at ${at}`)
  return errors.length + breaks.length
}

if (import.meta.main) {
  const files = process.argv.slice(2)
  let wrong = 0
  for (const file of files) wrong += await report(file, file, [])
  if (files.length === 0)
    for (const version of ['v2', 'v3'])
      wrong += await report(version, currentPath(version), await unacceptedBreaks(version))
  if (wrong > 0) {
    console.error('A contract is read by others, and a released one only grows: mend openapi/, then run make generate.')
    process.exitCode = 1
  }
}
