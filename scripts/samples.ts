import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { curlSample } from './samples/curl.ts'
import { type Call, type Contract, callOf, type Json, METHODS } from './samples/operation.ts'
import { pythonSample } from './samples/python.ts'
import { typescriptSample } from './samples/typescript.ts'
import { root } from './versions.ts'

const samplesFolder = path.join(root, 'openapi/samples')

const languages: { lang: string; label: string; ending: string; sample: (call: Call) => string }[] = [
  { lang: 'Shell', label: 'curl', ending: 'sh', sample: curlSample },
  { lang: 'TypeScript', label: 'TypeScript', ending: 'ts', sample: typescriptSample },
  { lang: 'Python', label: 'Python', ending: 'py', sample: pythonSample },
]

/**
 * Returns the contract of a version with a sample of every operation in each language. A sample is the file
 * openapi/samples/<version>/<operationId>.*, or is generated from the examples of the operation and from
 * openapi/samples/queries.json. Aliases have no samples. test/sdk/samples-*.test.ts runs all samples.
 */
export async function withSamples(version: string): Promise<Contract> {
  const contract = JSON.parse(await readFile(path.join(root, 'generated', version, 'openapi.json'), 'utf8')) as Contract
  const queries = JSON.parse(await readFile(path.join(samplesFolder, 'queries.json'), 'utf8')) as Record<
    string,
    Record<string, Record<string, Json>>
  >
  for (const [address, item] of Object.entries(contract.paths)) {
    for (const method of METHODS) {
      const operation = item[method]
      if (!operation || operation.operationId.endsWith('Alias')) continue
      const call = callOf(version, contract, address, method, queries[version]?.[operation.operationId])
      operation['x-codeSamples'] = await Promise.all(
        languages.map(async ({ lang, label, ending, sample }) => {
          const file = path.join(samplesFolder, version, `${operation.operationId}.${ending}`)
          return { lang, label, source: existsSync(file) ? (await readFile(file, 'utf8')).trimEnd() : sample(call) }
        }),
      )
    }
  }
  return contract
}
