import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { buildServer } from '../../scripts/server.ts'
import { type RunningServer, startServer } from '../support/running-server.ts'

const FORM = '| survey |\n| | type | name | label |\n| | text | why | Why? |\n'
const CHOICES = [{ label: 'Tea' }, { label: 'Cocoa – hot' }]
const DRINK = { idname: 'single-choice', id: 'drink', title: 'Drink', children: [{ type: 'single', choices: CHOICES }] }
const STRUCTURE = { title: 'Tea', form: [{ type: 'page', children: [DRINK] }] }

let server: RunningServer
let api: string
beforeAll(async () => {
  await buildServer()
  server = await startServer({}, 'build/server/main.mjs')
  const survey = await server.client.post('/api/v3/surveys/', { json: { name: 'Tea' } })
  api = `/api/v3/surveys/${survey.body.id}`
  await server.client.put(`${api}/structure/`, { json: STRUCTURE })
  await server.client.post(`${api}/responses/`, { form: { drink: 'Cocoa – hot' } })
})
afterAll(() => server.stop())

const get = async (path: string) => (await server.client.get(path)).text

describe('the bundled service', () => {
  test('stores and exports responses, in all formats that load packages on first use', async () => {
    expect(await get(`${api}/csv/?include_labels`)).toContain('Cocoa – hot')
    for (const format of ['xlsx', 'sav', 'dta', 'parquet', 'jsonl'])
      expect({ format, status: (await server.client.get(`${api}/${format}/`)).status }).toEqual({ format, status: 200 })
  })

  test('finds the files beside its sources: guides, assets, templates, programs for R', async () => {
    expect(await get('/docs/changelog/')).toContain('<h1')
    expect(await get('/accounts/login/')).toMatch(/href="[^"]+\.css/)
    expect((await server.client.get('/api/v3/gallery/')).body.results.length).toBeGreaterThan(5)
    const report = await server.client.post(`${api}/reports/`, { json: { title: 'All' } })
    expect((await server.client.get(`${api}/reports/${report.body.id}/analysis/`)).status).toBe(200)
    expect((await server.client.get('/openapi/v3.json')).status).toBe(200)
  })

  test('converts a form in a separate process', async () => {
    const reply = await server.client.post('/api/v3/xlsform/', {
      body: FORM,
      headers: { 'content-type': 'application/octet-stream' },
    })
    expect(reply).toMatchObject({ status: 200 })
  })

  test('contains only ASCII, because V8 needs twice the memory for other texts', () => {
    const files = readdirSync('build/server').filter((name) => name.endsWith('.mjs'))
    expect(files).toEqual(expect.arrayContaining(['main.mjs', 'serve.mjs', 'work.mjs']))
    for (const name of files) expect(readFileSync(`build/server/${name}`, 'latin1')).toMatch(/^[\0-\x7F]*$/)
  })
})
