import { describe, expect, test } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import type { Visitor } from '../support/http-browser.ts'
import { respond } from '../support/respondents.ts'
import { counts } from '../support/responses.ts'
import { useWorld } from '../support/world.ts'
import { analyst, FULL, ten } from './survey-owner.ts'

const world = useWorld()
const cookies = (browser: Visitor) => [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')

describe('the download of responses', () => {
  test('returns the same bytes as the API for every flag', async () => {
    const { browser, id, top, person } = await analyst(world)
    await ten(world, id)
    await respond(world, id, { answers: { ...FULL, name: '<b>=1+1</b>\nline', mail: 'x,"y"' } })
    const flags = [
      'include_labels',
      'score_based',
      'strip_html',
      'escape_newline',
      'formula_guard',
      'show_titles',
      'include_id',
      'include_key',
      'include_url',
      'include_response_link',
      'inverted',
    ].map((flag) => [`${flag}=1`, `${flag}=1`])
    const cases = [
      ['', ''],
      ...flags,
      ['format=bom', 'bom=1'],
      ['language=fr&include_labels=1&show_titles=1', 'language=fr&include_labels=1&show_titles=1'],
      ['include=bread&include=rank', 'include=bread,rank'],
      ['base=_completed%3D1%26bread%3D1', '_completed=1&bread=1'],
      ['base=nps%3E%3D4%26filter%3Dcompleted', 'nps>=4&filter=completed'],
    ]
    for (const [ours, theirs] of cases) {
      const file = await browser.get(`${top}csv/?${ours}`)
      expect([ours, file.status]).toEqual([ours, 200])
      const api = await person.get(`/api/v3/surveys/${id}/csv/?${theirs}`)
      expect([ours, file.text]).toEqual([ours, api.text])
      expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8')
      expect(file.headers.get('content-disposition')).toBe('attachment; filename="bread-and-breakfast.csv"')
    }
  })

  test('can be limited to some responses, and be tab-separated UTF-16', async () => {
    const { browser, id, top } = await analyst(world)
    const ids = await ten(world, id)
    const some = await browser.get(`${top}csv/?ids=${ids[2]},%20${ids[5]}`)
    const rows = parse(some.text, { columns: true }) as Record<string, string>[]
    expect(rows.map((row) => row._id)).toEqual([ids[2], ids[5]].map(String))
    const reply = await fetch(`${world.base}${top}csv/?format=tab_separated&include_labels=1`, {
      headers: { cookie: cookies(browser) },
    })
    expect(reply.headers.get('content-type')).toBe('text/csv; charset=utf-16le')
    const text = new TextDecoder('utf-16le').decode(await reply.arrayBuffer())
    expect(parse(text, { delimiter: '\t', columns: true })).toHaveLength(10)
  })

  test('returns a page with status 422 for invalid parameters', async () => {
    const { browser, id, top } = await analyst(world)
    await ten(world, id)
    for (const query of ['ids=one', 'include=colour', 'base=colour%3Dred', 'base=filter%3Dnothing']) {
      const reply = await browser.get(`${top}csv/?${query}`)
      expect([query, reply.status, reply.headers.get('content-type')]).toEqual([query, 422, 'text/html; charset=utf-8'])
    }
    expect((await browser.get(`${top}download/?colour=red`)).to).toBe(`${top}?colour=red`)
    const form = await browser.get(`${top}download/?nps>4`)
    expect(form.text).toContain('5 responses')
    expect(form.text).toContain('name="base" value="nps%3E4"')
  })

  test('releases its connection when aborted, and does not end cleanly when it fails half-way', async () => {
    const { browser, id, top } = await analyst(world)
    const long = 'a long answer '.repeat(400)
    for (let n = 0; n < 600; n += 1) await respond(world, id, { answers: { name: long, mail: long } })
    const { pool } = world.application.services
    const running = async () =>
      (await pool.query(`select pid from pg_stat_activity where query ilike 'copy%' and datname = current_database()`))
        .rows as { pid: number }[]
    const gone = async () => {
      for (let tries = 0; tries < 200; tries += 1) {
        if ((await running()).length === 0) return true
        await new Promise((resolve) => setTimeout(resolve, 25))
      }
      return false
    }
    const open = () => fetch(`${world.base}${top}csv/`, { headers: { cookie: cookies(browser) } })
    const head = await fetch(`${world.base}${top}csv/`, { method: 'HEAD', headers: { cookie: cookies(browser) } })
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
    expect(await gone()).toBe(true)
    const reader = (await open()).body!.getReader()
    await reader.read()
    await reader.cancel()
    expect(await gone()).toBe(true)

    const failing = await open()
    expect(failing.status).toBe(200)
    for (const { pid } of await running()) await pool.query('select pg_terminate_backend($1)', [pid])
    await expect(failing.text()).rejects.toThrow()
    expect(await gone()).toBe(true)
  })
})

describe('the import of responses', () => {
  const send = async (browser: Visitor, top: string, text: string) => {
    const form = new FormData()
    form.append('_csrf', browser.csrf)
    form.append('file', new Blob([text], { type: 'text/csv' }), 'old.csv')
    return fetch(`${world.base}${top}import/`, {
      method: 'POST',
      redirect: 'manual',
      body: form,
      headers: { origin: world.base, cookie: cookies(browser) },
    })
  }

  test('stores every row, or none and reports the errors by row', async () => {
    const { browser, id, top } = await analyst(world)
    await browser.get(`${top}import/`)
    const wrong = await send(browser, top, 'name,bread,_completed\nBo,Rye,0\nCy,<b>Stone</b>,0\n')
    expect(wrong.status).toBe(422)
    const text = await wrong.text()
    expect(text).toContain('<strong>Row 3: bread</strong>')
    expect(text).not.toContain('<b>Stone')
    expect((await send(browser, top, 'colour\nred\n')).status).toBe(422)
    expect((await send(browser, top, '')).status).toBe(422)
    expect((await counts(world, id)).rows).toBe(0)
    const taken = await send(browser, top, '\ufeffname,bread,_completed\nBo,Rye,0\nCy,Wheat,0\n')
    expect([taken.status, taken.headers.get('location')]).toEqual([303, top])
    expect(await counts(world, id)).toEqual({ rows: 2, feed: 2, collectors: 2 })
    expect((await browser.get(top)).text).toContain('>Wheat</td>')
  })
})
