import { mkdtempSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from '@jest/globals'
import type { TypedSurvey } from '../support/question-type.ts'
import { picture, send, upload, useUploads } from '../support/uploads.ts'
import { waitUntil } from '../support/wait-until.ts'

/** The scanners leave a file here when they begin, and wait for the file `open`. */
const folder = mkdtempSync(join(tmpdir(), 'canvass-scans-'))
const started = async () => (await readdir(folder)).filter((name) => name.startsWith('scan-')).length
const { type } = useUploads({
  FILE_SCAN_COMMAND: `env > ${folder}/scan-$$; cat > /dev/null; while [ ! -e ${folder}/open ]; do sleep 0.05; done`,
  FILE_SCAN_PROCESSES: '2',
  PATH: process.env.PATH!,
  FILES_MB_PER_ACCOUNT: '0',
})
let survey: TypedSurvey
beforeAll(async () => {
  survey = await type.survey([upload()])
})

describe('the virus scanner', () => {
  it('runs for two files at a time, and the others wait; files above the limit are refused', async () => {
    const replies = Array.from({ length: 43 }, (_, index) => send(survey, picture(`${index}.png`)))
    const refused = await Promise.race(replies)
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([503, 'unavailable', '60'])
    await waitUntil(async () => (await started()) === 2, 60_000)
    await writeFile(join(folder, 'open'), '')
    expect((await Promise.all(replies)).map(({ status }) => status).sort()).toEqual([...Array(42).fill(201), 503])
    expect(await started()).toBe(42)
  })

  it('gets no environment variable of the server but PATH', async () => {
    const [first] = (await readdir(folder)).filter((name) => name.startsWith('scan-'))
    const names = (await readFile(join(folder, first!), 'utf8')).split('\n').map((line) => line.split('=')[0]!)
    // The shell itself sets the others.
    expect(names.filter((name) => !['', 'PATH', 'PWD', 'OLDPWD', 'SHLVL', '_'].includes(name))).toEqual([])
    expect(names).toContain('PATH')
  })
})
