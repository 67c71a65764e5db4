// Checks the contracts. Each contract must be valid according to the official schema and two independent parsers, and
// must not break clients of the released contract (openapi/released/). `make check` runs this file. Documents that are
// given as arguments are only validated.
import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import SwaggerParser from '@apidevtools/swagger-parser'
import { validate as validateBySchema } from '@hyperjump/json-schema/openapi-3-1'
import { validate as validateByScalar } from '@scalar/openapi-parser'
import { makeInteroperable } from './interoperable.ts'
import { otherDocuments, root, versions } from './versions.ts'

const redocly = path.join(root, 'node_modules/@redocly/cli/bin/cli.js')

/** Returns the path of the released contract of a version. */
export const releasedPath = (version: string): string => path.join(root, 'openapi/released', `${version}.json`)
/** Returns the path of the generated contract of a version. */
export const currentPath = (version: string): string => path.join(root, 'generated', version, 'openapi.json')

type Json = boolean | null | number | string | Json[] | { [member: string]: Json }

/**
 * Validates a document with the official schema for OpenAPI 3.1, which also checks the schemas in the document against
 * the dialect of OpenAPI 3.1, with swagger-parser, and with Scalar's parser.
 * @returns the errors of all three
 */
async function validationErrors(document: Json): Promise<string[]> {
  const errors: string[] = []
  const official = await validateBySchema('https://spec.openapis.org/oas/3.1/schema-base', document, 'BASIC')
  if (!official.valid)
    errors.push(...(official.errors ?? []).map(({ instanceLocation }) => `official schema: ${instanceLocation}`))
  try {
    await SwaggerParser.validate(structuredClone(document) as never)
  } catch (error) {
    errors.push(`swagger-parser: ${(error as Error).message}`)
  }
  const scalar = await validateByScalar(JSON.stringify(document))
  return [
    ...errors,
    ...(scalar.errors ?? []).map(
      ({ message, path: at }) => `scalar: ${message} at ${[at ?? 'the document'].flat().join('/')}`,
    ),
  ]
}

/** A change that can break clients of the older document. */
export interface Break {
  /** JSON pointer into the document. */
  at: string
  message: string
}

/** An entry of openapi/accepted-breaks.json: accepts the breaks at the JSON pointer `at` and below it, for a reason. */
interface AcceptedBreak {
  version: string
  at: string
  /** A part of the message of the break. Without it, all breaks at or below the pointer are accepted. */
  message?: string
  reason: string
}
const acceptedBreaks = JSON.parse(
  await readFile(path.join(root, 'openapi/accepted-breaks.json'), 'utf8'),
) as readonly AcceptedBreak[]

/**
 * Returns the breaks between the released and the current contract of a version that are not accepted. Also returns the
 * entries of openapi/accepted-breaks.json that no longer accept any break.
 */
export async function unacceptedBreaks(version: string): Promise<Break[]> {
  const accepted = acceptedBreaks.filter((entry) => entry.version === version)
  const breaks = await breaksBetween(await rewrittenRelease(version), currentPath(version))
  const covers = (entry: AcceptedBreak, { at, message }: Break) =>
    at.startsWith(entry.at) && message.includes(entry.message ?? '')
  const outdated = accepted.filter((entry) => !breaks.some((change) => covers(entry, change)))
  return [
    ...breaks.filter((change) => !accepted.some((entry) => covers(entry, change))),
    ...outdated.map(({ at }) => ({
      at,
      message: 'is no longer a break: remove it from openapi/accepted-breaks.json',
    })),
  ]
}

/**
 * Writes a released contract with the changes for other tools that `make generate` makes, which change no meaning.
 * @returns the path of the rewritten contract
 */
async function rewrittenRelease(version: string): Promise<string> {
  const document = JSON.parse(await readFile(releasedPath(version), 'utf8'))
  makeInteroperable(document)
  const file = path.join(root, 'build/released', `${version}.json`)
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, JSON.stringify(document))
  return file
}

interface Diff {
  bump: 'major' | 'minor' | 'patch' | 'none'
  changes: { path: string; impact: string; verdicts?: { ruleId: string; impact: string; message: string }[] }[]
}

/**
 * Returns the breaks between two documents by the rules of `redocly diff`.
 * @param released path of the older document
 * @param revision path of the newer document
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
  const args = [
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
    execFile(process.execPath, args, { cwd: root, env, maxBuffer: 1 << 28 }, (error, stdout, stderr) => {
      if (error) reject(new Error(stderr || error.message))
      else resolve(JSON.parse(stdout) as Diff)
    })
  })
}

/**
 * Prints the errors of a document and its breaks since the release.
 * @returns the number of errors and breaks
 */
async function report(name: string, file: string, breaks: readonly Break[]): Promise<number> {
  const errors = await validationErrors(JSON.parse(await readFile(file, 'utf8')) as Json)
  for (const error of errors) console.error(`${name}: ${error}`)
  for (const { at, message } of breaks) console.error(`${name}: ${message}\n    at ${at}`)
  return errors.length + breaks.length
}

if (import.meta.main) {
  const files = process.argv.slice(2)
  let count = 0
  for (const file of files) count += await report(file, file, [])
  if (files.length === 0) {
    for (const version of versions)
      count += await report(version, currentPath(version), await unacceptedBreaks(version))
    for (const name of otherDocuments) count += await report(name, currentPath(name), [])
  }
  if (count > 0) {
    console.error('Fix openapi/ and run make generate. List an intended break in openapi/accepted-breaks.json.')
    process.exitCode = 1
  }
}
