import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { describe, expect, it } from '@jest/globals'
import { useWorld } from './support/world.ts'

const world = useWorld()
const run = promisify(execFile)

const STRICT = 'set -euo pipefail\ncurl() { command curl -sS --fail-with-body "$@"; }\n'

/** Returns the shell blocks of the section “A tour in five minutes”, in order. */
async function tourBlocks(): Promise<string[]> {
  const readme = await readFile('README.md', 'utf8')
  const [, tour] = /^## A tour[^\n]*\n(.*?)^## /ms.exec(readme) ?? []
  return [...tour!.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block!)
}

describe('README.md', () => {
  it('shows a tour whose commands all succeed', async () => {
    const ann = await world.person()
    const [variables, ...blocks] = await tourBlocks()
    expect(variables).toMatch(/^KEY=.*^PASSWORD=.*^API=/ms)
    expect(blocks.length).toBeGreaterThan(7)
    const env: Record<string, string> = { KEY: ann.apiKey, PASSWORD: ann.password, API: `${world.base}/api/v3` }
    for (const block of blocks) {
      const { stdout } = await run('bash', ['--norc', '-c', STRICT + block], {
        env: { PATH: process.env.PATH, ...env },
      })
      // The README asks the reader to copy the ID from the reply into the variable. Here the test copies it.
      for (const [, name] of block.matchAll(/^([A-Z]+)=/gm)) env[name!] = String(JSON.parse(stdout).id)
    }
  })
})
