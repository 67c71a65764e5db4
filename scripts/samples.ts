import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { curlSample } from './samples/curl.ts'
import { type Call, type Contract, callOf, type Json, methods } from './samples/operation.ts'
import { pythonSample } from './samples/python.ts'
import { typescriptSample } from './samples/typescript.ts'

const root = path.resolve(import.meta.dirname, '..')
const byHand = path.join(root, 'openapi/samples')

const languages: { lang: string; label: string; ending: string; sample: (call: Call) => string }[] = [
  { lang: 'Shell', label: 'curl', ending: 'sh', sample: curlSample },
  { lang: 'TypeScript', label: 'TypeScript', ending: 'ts', sample: typescriptSample },
  { lang: 'Python', label: 'Python', ending: 'py', sample: pythonSample },
]

/**
 * The contract of a version with a sample of every operation in each language: what openapi/samples/<version> has under
 * the operation's name, else what is made of the operation's own examples and openapi/samples/queries.json. A second
 * address of an operation has none. test/sdk/samples-*.test.ts runs them all.
 */
export async function withSamples(version: string): Promise<Contract> {
  const contract = JSON.parse(await readFile(path.join(root, 'generated', version, 'openapi.json'), 'utf8')) as Contract
  const queries = JSON.parse(await readFile(path.join(byHand, 'queries.json'), 'utf8')) as Record<
    string,
    Record<string, Record<string, Json>>
  >
  for (const [address, item] of Object.entries(contract.paths)) {
    for (const method of methods) {
      const operation = item[method]
      if (!operation || operation.operationId.endsWith('Alias')) continue
      const call = callOf(version, contract, address, method, queries[version]?.[operation.operationId])
      operation['x-codeSamples'] = await Promise.all(
        languages.map(async ({ lang, label, ending, sample }) => {
          const file = path.join(byHand, version, `${operation.operationId}.${ending}`)
          return { lang, label, source: existsSync(file) ? (await readFile(file, 'utf8')).trimEnd() : sample(call) }
        }),
      )
    }
  }
  return contract
}
